package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// The configurations hold nothing but what an audit needs: passive checks and
// retries are off, since the law is the question, unless a case wants them, and
// connections are not kept.
var configurations = template.Must(template.New("").Funcs(template.FuncMap{"nginx": nginxMethod}).Parse(`
{{- define "nginx" -}}
daemon off;
worker_processes {{.Workers}};
pid {{.Dir}}/nginx.pid;
error_log {{.Dir}}/error.log;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path {{.Dir}}/client;
	proxy_temp_path {{.Dir}}/proxy;
	fastcgi_temp_path {{.Dir}}/fastcgi;
	uwsgi_temp_path {{.Dir}}/uwsgi;
	scgi_temp_path {{.Dir}}/scgi;
	upstream servers {
		{{if .Zone}}zone servers 64k;{{end}}
		{{nginx .Method}}
		{{range .Servers}}server {{.Name}} weight={{.Weight}}{{if not $.Checks}} max_fails=0{{end}};
		{{end}}
	}
	server {
		listen {{.Address}};
		keepalive_timeout 0;
		location / {
			proxy_pass http://servers;
			{{if not .Checks}}proxy_next_upstream off;{{end}}
			proxy_read_timeout 600s;
		}
	}
}
{{end}}
{{- define "haproxy" -}}
global
	maxconn 4000
	nbthread {{.Workers}}
defaults
	mode http
	timeout connect 5s
	timeout client 600s
	timeout server 600s
	option httpclose
	http-reuse never
	{{if .Checks}}retries 3
	option redispatch 1{{else}}retries 0{{end}}
frontend front
	bind {{.Address}}
	default_backend servers
backend servers
	balance {{.Method}}
	{{if eq .Method "url_param key"}}hash-type consistent{{end}}
	{{range $i, $s := .Servers}}server s{{$i}} {{$s.Name}} weight {{$s.Weight}}{{if $.Checks}} check inter 200 observe layer4 on-error mark-down{{end}}
	{{end}}
{{end}}
{{- define "caddy" -}}
{
	"admin": {"disabled": true, "config": {"persist": false}},
	"logging": {"logs": {"default": {"level": "ERROR"}}},
	"apps": {"http": {"servers": {"front": {
		"listen": ["{{.Address}}"],
		"automatic_https": {"disable": true},
		"routes": [{"handle": [{
			"handler": "reverse_proxy",
			"transport": {"protocol": "http", "keep_alive": {"enabled": false}},
			{{if .Checks}}"health_checks": {"passive": {"fail_duration": "10s"}},{{end}}
			"load_balancing": {
				{{if .Checks}}"retries": 3,{{end}}
				"selection_policy": {"policy": "{{.Method}}"}
			},
			"upstreams": [{{range $i, $s := .Servers}}{{if $i}}, {{end}}{"dial": "{{$s.Name}}"}{{end}}]
		}]}]
	}}}}
}
{{end}}`))

// nginxMethod is the line of an upstream block; the rotation is its default.
func nginxMethod(method string) string {
	if method == "round robin" {
		return ""
	}
	return method + ";"
}

// freeAddress is a loopback address that nobody listens on at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// start starts the proxy of a case in a working folder of its own, and waits
// until it listens. The returned function ends it and all its workers.
func (k kase) start(ctx context.Context, address string, servers []spec.Server) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "picklaw-"+k.Proxy+"-")
	if err != nil {
		return nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	var text bytes.Buffer
	if err := configurations.ExecuteTemplate(&text, k.Proxy, struct {
		kase
		Dir, Address string
		Servers      []spec.Server
	}{k, dir, address, servers}); err != nil {
		remove()
		return nil, err
	}
	file := filepath.Join(dir, k.Proxy+".conf")
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		remove()
		return nil, err
	}
	var args []string
	switch k.Proxy {
	case "nginx":
		args = []string{"-p", dir, "-c", file}
	case "haproxy":
		args = []string{"-db", "-f", file}
	case "caddy":
		args = []string{"run", "--config", file}
	}
	cmd := exec.Command(program(k.Proxy), args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir) // Caddy writes there
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		remove()
		return nil, fmt.Errorf("%s cannot be started: %w; %s", k.Proxy, err, remedy(k.Proxy))
	}
	exited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(exited) }()
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(2 * time.Second):
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-exited
		remove()
	}
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return stop, nil
		}
		select {
		case <-exited:
			remove()
			return nil, fmt.Errorf("%s ended at once: %s", k.name(), strings.TrimSpace(said.String()))
		case <-ctx.Done():
			stop()
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// program is the file of a proxy. Caddy is built from source.
func program(proxy string) string {
	if proxy == "caddy" {
		return filepath.Join("bin", "caddy")
	}
	return proxy
}

func remedy(proxy string) string {
	if proxy == "caddy" {
		return "make bin/caddy builds it"
	}
	return "spec/remote/proxies/install.sh installs it"
}

// version asks a proxy for its version. That of Caddy is in its build, which is a
// program of this repository.
func version(proxy string) (string, error) {
	if proxy == "caddy" {
		info, err := buildinfo.ReadFile(program(proxy))
		if err != nil {
			return "", fmt.Errorf("caddy: %w; %s", err, remedy(proxy))
		}
		for _, d := range info.Deps {
			if d.Path == "github.com/caddyserver/caddy/v2" {
				return strings.TrimPrefix(d.Version, "v"), nil
			}
		}
		return "", fmt.Errorf("%s is no Caddy", program(proxy))
	}
	out, err := exec.Command(proxy, "-v").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -v: %w; %s", proxy, err, remedy(proxy))
	}
	for _, word := range strings.Fields(string(out)) {
		word = strings.TrimPrefix(word, "nginx/")
		if word != "" && word[0] >= '0' && word[0] <= '9' {
			return word, nil
		}
	}
	return "", fmt.Errorf("%s -v does not tell its version: %s", proxy, out)
}
