// Package oracle holds what is true of load balancing from mathematics alone.
package oracle
