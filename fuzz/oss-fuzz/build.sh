#!/bin/bash -eu
# Builds every native fuzz target, with its seeds, for OSS-Fuzz.
cd "$SRC/picklaw"

# The builder replaces testing.F by a package of its own, which the module must
# know of.
printf 'package fuzz\nimport _ "github.com/AdamKorcz/go-118-fuzz-build/testing"\n' >fuzz/register.go
go mod tidy

for target in $(grep -ho '^func Fuzz[A-Za-z]*' fuzz/*_test.go | sed 's/func //'); do
  compile_native_go_fuzzer github.com/picklaw/picklaw/fuzz "$target" "$target"
  # A seed is a file "go test fuzz v1" with one []byte; the service wants the bytes.
  seeds=$(mktemp -d)
  go run ./fuzz/oss-fuzz/seeds "fuzz/testdata/fuzz/$target" "$seeds"
  zip -qj "$OUT/${target}_seed_corpus.zip" "$seeds"/*
done
