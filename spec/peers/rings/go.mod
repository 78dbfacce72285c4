module github.com/picklaw/picklaw/spec/peers/rings

go 1.26.0

require (
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f
	github.com/golang/groupcache v0.0.0-20241129210726-2c02b8208cf8
	github.com/picklaw/picklaw v0.0.0
	github.com/redis/go-redis/v9 v9.23.0
	github.com/serialx/hashring v0.0.0-20200727003509-22c0c7ab6b1b
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/picklaw/picklaw => ../../..
