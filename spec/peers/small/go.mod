module github.com/picklaw/picklaw/spec/peers/small

go 1.26.0

require (
	github.com/mroth/weightedrand/v2 v2.1.0
	github.com/picklaw/picklaw v0.0.0
	github.com/valyala/fasthttp v1.78.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/molecule-man/go-brrr v1.3.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/picklaw/picklaw => ../../..
