package icicle

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Run calls f with the device as the current one, and returns f's error. It is synchronous: f runs on the calling
// goroutine, locked to its thread, and the thread's device is restored before Run returns, also if f panics, which Run
// returns as an error. Calls nest.
//
// Inside, calls with neither a stream nor device memory run on this device, as does C code that f calls. A goroutine that
// f starts is not inside.
//
// Errors: ErrInvalidDevice, f is not called; what f returns; a panic of f, with its stack, unwrapping to its value if that
// is an error.
func (d Device) Run(f func() error) (err error) {
	const op = "device_run"
	raw, err := d.raw(op)
	if err != nil {
		return err
	}
	if f == nil {
		return fail(ErrInvalidArgument, op, "f is nil")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before C.go_run
	if err := check(op, d, C.go_run_begin(raw, &before)); err != nil {
		return err
	}
	defer func() {
		if value := recover(); value != nil {
			err = caught(value)
		}
		err = errors.Join(err, check(op, d, C.go_run_end(&before)))
	}()
	return f()
}

func caught(value any) error {
	if cause, ok := value.(error); ok {
		return fmt.Errorf("device_run: panic: %w\n%s", cause, debug.Stack())
	}
	return fmt.Errorf("device_run: panic: %v\n%s", value, debug.Stack())
}
