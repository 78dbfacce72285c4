package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"golang.org/x/net/dns/dnsmessage"
)

// A record is an SRV record for port 80 of a host in example.com, of weight 1.
type record struct {
	host     string
	priority uint16
}

// resolve makes the standard library's resolver answer every question with the
// records, without a network, until restore is called.
func resolve(records []record) (restore func()) {
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			for answer(server, records) == nil {
			}
		}()
		return client, nil
	}}
	return func() { net.DefaultResolver = before }
}

// answer reads one question, as over TCP, and answers it.
func answer(c io.ReadWriter, records []record) error {
	var length [2]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return err
	}
	question := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return err
	}
	if len(m.Questions) != 1 {
		return fmt.Errorf("%d questions, want 1", len(m.Questions))
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	for _, r := range records {
		target, err := dnsmessage.NewName(r.host + ".example.com.")
		if err != nil {
			return err
		}
		m.Answers = append(m.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET, TTL: 60},
			Body:   &dnsmessage.SRVResource{Priority: r.priority, Weight: 1, Port: 80, Target: target},
		})
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}
