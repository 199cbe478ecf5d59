package icicle

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Code says what a call ended with. The numbers are those of icicle_error_t; every Code is an error to compare with:
// errors.Is(err, icicle.ErrOutOfMemory).
type Code int32

// The codes of failed calls.
const (
	// ErrInvalidDevice: no such device, or memory that is not an allocation of any device.
	ErrInvalidDevice Code = C.ICICLE_INVALID_DEVICE
	// ErrOutOfMemory: device or host memory is exhausted.
	ErrOutOfMemory Code = C.ICICLE_OUT_OF_MEMORY
	// ErrInvalidPointer: nil, misaligned, closed or foreign memory, or memory of another device than the call's.
	ErrInvalidPointer Code = C.ICICLE_INVALID_POINTER
	// ErrAllocationFailed: memory could not be allocated for another reason than exhaustion.
	ErrAllocationFailed Code = C.ICICLE_ALLOCATION_FAILED
	// ErrDeallocationFailed: memory could not be freed.
	ErrDeallocationFailed Code = C.ICICLE_DEALLOCATION_FAILED
	// ErrCopyFailed: a copy failed.
	ErrCopyFailed Code = C.ICICLE_COPY_FAILED
	// ErrSynchronizationFailed: waiting failed, or the work waited for did.
	ErrSynchronizationFailed Code = C.ICICLE_SYNCHRONIZATION_FAILED
	// ErrStreamCreationFailed: a stream or event could not be created.
	ErrStreamCreationFailed Code = C.ICICLE_STREAM_CREATION_FAILED
	// ErrStreamDestructionFailed: a stream or event could not be destroyed.
	ErrStreamDestructionFailed Code = C.ICICLE_STREAM_DESTRUCTION_FAILED
	// ErrUnsupported: the device does not offer this operation for this field or curve.
	ErrUnsupported Code = C.ICICLE_API_NOT_IMPLEMENTED
	// ErrInvalidArgument: an argument breaks a rule; the message names argument, value and rule.
	ErrInvalidArgument Code = C.ICICLE_INVALID_ARGUMENT
	// ErrBackendLoadFailed: a backend could not be loaded.
	ErrBackendLoadFailed Code = C.ICICLE_BACKEND_LOAD_FAILED
	// ErrUnknown: a fault of the library itself.
	ErrUnknown Code = C.ICICLE_UNKNOWN_ERROR
	// ErrCancelled: the caller cancelled the work before it was started.
	ErrCancelled Code = C.ICICLE_CANCELLED
	// ErrTimeout: another rank of a collective did not come, or did not go on, in time; the message names it.
	ErrTimeout Code = C.ICICLE_TIMEOUT
	// ErrRemote: another rank of a collective failed, left, or refused this one; the message names it.
	ErrRemote Code = C.ICICLE_REMOTE_ERROR
)

// Error returns the code's name, such as INVALID_POINTER.
func (c Code) Error() string { return C.GoString(C.icicle_error_name(C.int32_t(c))) }

// Error is a failed call.
type Error struct {
	Code Code
	// Op is the operation, such as msm.
	Op string
	// Device is where the call ran; the zero Device if it failed before that was known.
	Device Device
	// Message names operation, argument, what was got, and the rule.
	Message string
}

// Error returns the message, the code's name, and the device if it is known.
func (e *Error) Error() string {
	if e.Device == (Device{}) {
		return fmt.Sprintf("%s (%v)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s (%v on %v)", e.Message, e.Code, e.Device)
}

// Unwrap makes errors.Is find the Code.
func (e *Error) Unwrap() error { return e.Code }

// fail makes an Error of this package's own checks.
func fail(code Code, op, format string, args ...any) error {
	return &Error{Code: code, Op: op, Message: op + ": " + fmt.Sprintf(format, args...)}
}

// check turns a status into an error and frees it; device is where the call ran, if Go knows.
func check(op string, device Device, status C.go_status) error {
	if status.code == C.ICICLE_SUCCESS {
		return nil
	}
	err := &Error{Code: Code(status.code), Op: op, Device: device, Message: op + ": no memory for the message"}
	if status.failure != nil {
		err.Message = C.GoString(status.failure.text)
		if device == (Device{}) {
			err.Device = deviceOf(status.failure.device)
		}
		C.free(unsafe.Pointer(status.failure))
	}
	return err
}
