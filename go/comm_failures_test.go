package icicle

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestCommRankThatDoesNotComeIsNamed(t *testing.T) {
	_, err := CommInitRank(must(NewCommID("")), 3, 0, Device{}, CommConfig{Timeout: 200 * time.Millisecond})
	fails(t, err, ErrTimeout, "[1, 2]")
	for _, connect := range transports {
		comms, timeouts := connect(t, 3, 200*time.Millisecond), 0
		for _, err := range parallel(2, func(rank int) error { _, err := total(comms[rank], 1); return err }) {
			if errors.Is(err, ErrTimeout) {
				fails(t, err, ErrTimeout, "2")
				timeouts++
			} else {
				fails(t, err, ErrRemote, "rank")
			}
		}
		if timeouts == 0 {
			t.Fatal("none timed out")
		}
		var first *Error
		_, err := total(comms[0], 1)
		if failure := comms[0].Failure(); !errors.As(failure, &first) || err == nil || failure.Error() != err.Error() {
			t.Fatal(failure, err)
		}
	}
}

func TestCommCallsThatDiffer(t *testing.T) {
	for name, comms := range map[string][]*Communicator{
		"local": local(t, 2, time.Minute), "TCP": join(t, 2, CommConfig{Timeout: time.Minute, Check: true}),
	} {
		errs := parallel(2, func(rank int) error {
			x := make(HostSlice[int64], 1+rank)
			return comms[rank].AllReduce(int64s, ReduceSum, x, x, Launch{})
		})
		at := slices.IndexFunc(errs, func(err error) bool { return errors.Is(err, ErrInvalidArgument) })
		if at < 0 {
			t.Fatal(name, errs)
		}
		fails(t, errs[at], ErrInvalidArgument, "sum of 1 int64")
		fails(t, errs[at], ErrInvalidArgument, "sum of 2 int64")
	}
}

// Without a check a rank that only sends goes on before a call that does not match is seen; with one it does not.
func TestCommCheck(t *testing.T) {
	for _, check := range []bool{false, true} {
		comms := join(t, 2, CommConfig{Timeout: time.Minute, Check: check})
		errs := parallel(2, func(rank int) error {
			if rank == 0 {
				return comms[0].Send(int64s, 1, HostSlice[int64]{1}, Launch{})
			}
			return comms[1].Recv(int64s, 0, make(HostSlice[int64], 2), Launch{})
		})
		if (errs[0] != nil) != check || !errors.Is(errs[1], ErrInvalidArgument) {
			t.Fatal(check, errs)
		}
	}
}

func TestCommAbortEndsCallsThatWait(t *testing.T) {
	for _, connect := range transports {
		comms, start := connect(t, 2, time.Minute), time.Now()
		go func() {
			time.Sleep(100 * time.Millisecond)
			_ = comms[0].Abort()
		}()
		x := HostSlice[int64]{0}
		fails(t, comms[0].Recv(int64s, 1, x, Launch{}), ErrCancelled, "rank 0 aborted")
		if err := comms[1].Recv(int64s, 0, x, Launch{}); !errors.Is(err, ErrCancelled) && !errors.Is(err, ErrRemote) {
			t.Fatal(err)
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal("an abort took long")
		}
	}
}

func TestCommClosedWhileAnotherGoroutineWaits(t *testing.T) {
	for _, connect := range transports {
		comms := connect(t, 2, time.Minute)
		errs := parallel(2, func(rank int) error {
			if rank == 1 {
				time.Sleep(100 * time.Millisecond)
				// The call that waits goes on.
				if err := comms[0].Close(); err != nil {
					return err
				}
			}
			sum, err := total(comms[rank], 1)
			if err == nil && sum != 2 {
				err = fmt.Errorf("sum %d", sum)
			}
			return err
		})
		ok(t, errors.Join(errs...))
		_, err := total(comms[0], 1)
		fails(t, err, ErrInvalidPointer, "communicator: closed already")
		fails(t, comms[0].Abort(), ErrInvalidPointer, "closed already")
		fails(t, comms[0].Failure(), ErrInvalidPointer, "closed already")
		_, err = total(comms[1], 1)
		fails(t, err, ErrRemote, "rank 0")
		ok(t, comms[0].Close())
	}
}

func TestCommIDMakesOneCommunicatorOfThoseWhoHaveIt(t *testing.T) {
	id := must(NewCommID(""))
	wrong := id
	wrong[30] ^= 1 // of the nonce
	comms := make([]*Communicator, 2)
	for _, err := range parallel(2, func(rank int) (err error) {
		if rank == 1 {
			_, err = CommInitRank(wrong, 2, 1, CPU(0), CommConfig{Timeout: 300 * time.Millisecond})
			if !errors.Is(err, ErrRemote) && !errors.Is(err, ErrTimeout) {
				return fmt.Errorf("forged: %w", err)
			}
		}
		comms[rank], err = CommInitRank(id, 2, rank, CPU(0), CommConfig{Timeout: time.Minute})
		return err
	}) {
		ok(t, err)
	}
	_, err := CommInitRank(id, 2, 0, CPU(0), CommConfig{Timeout: time.Second})
	fails(t, err, ErrInvalidArgument, "used already")
	fails(t, id.Release(), ErrInvalidArgument, "used or released already")
	for _, err := range parallel(2, func(rank int) error { return errors.Join(everyOperation(comms[rank]), comms[rank].Close()) }) {
		ok(t, err)
	}
}
