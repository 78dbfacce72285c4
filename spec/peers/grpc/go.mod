module github.com/picklaw/picklaw/spec/peers/grpc

go 1.26.0

require google.golang.org/grpc v1.85.0

require (
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

require (
	github.com/picklaw/picklaw v0.0.0
	golang.org/x/sys v0.48.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/picklaw/picklaw => ../../..
