package main

import "testing"

func TestAudit(t *testing.T) { module.Audit(t) }
