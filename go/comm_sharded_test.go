package icicle

import (
	"slices"
	"testing"
	"time"
)

// ranksOver is a group of n devices, and a rank for each.
func ranksOver(t testing.TB, n int) (*Group, []*Communicator) {
	t.Helper()
	devices := make([]Device, n)
	for i := range devices {
		devices[i] = CPU(i)
	}
	group := must(NewGroup(devices, nil))
	comms := must(CommInitGroup(group, CommConfig{Timeout: 20 * time.Second}))
	t.Cleanup(func() {
		closeAll(t, comms)
		ok(t, group.Close())
	})
	return group, comms
}

func TestCarriersAreTold(t *testing.T) {
	for name, want := range map[string]string{"local": "host memory", "TCP": "TCP"} {
		for _, comm := range transports[name](t, 2, 20*time.Second) {
			if got := must(comm.Carrier()); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	_, err := (*Communicator)(nil).Carrier()
	fails(t, err, ErrInvalidPointer, "communicator is nil")
}

func TestGroupsHaveARankForEachDevice(t *testing.T) {
	devices(t, 2)
	_, comms := ranksOver(t, 2)
	for i, comm := range comms {
		if comm.Rank() != i || comm.Size() != 2 || comm.Device() != CPU(i) {
			t.Errorf("%d: rank %d of %d on %v", i, comm.Rank(), comm.Size(), comm.Device())
		}
	}
	_, err := CommInitGroup(nil, CommConfig{})
	fails(t, err, ErrInvalidPointer, "group")
	group := must(NewGroup([]Device{CPU(0)}, nil))
	_, err = CommInitGroup(group, CommConfig{Timeout: -time.Second})
	fails(t, err, ErrInvalidArgument, "timeout_seconds -1")
	ok(t, group.Close())
	_, err = CommInitGroup(group, CommConfig{})
	fails(t, err, ErrInvalidPointer, "closed")
}

func TestCollectivesOverVectorsOfAGroup(t *testing.T) {
	devices(t, 2)
	group, comms := ranksOver(t, 2)
	vector := func(layout Layout, values ...int64) *Sharded {
		made := must(group.NewSharded(len(values), 8, layout))
		t.Cleanup(func() { ok(t, made.Close()) })
		ok(t, group.Scatter(HostSlice[int64](values), made))
		return made
	}
	run := func(operation CommOperation, reduce ReduceOp, root int, send, recv *Sharded) error {
		return CommRunSharded(comms, operation, int64s, reduce, root, send, recv)
	}
	is := func(v *Sharded, want ...int64) {
		t.Helper()
		got := make(HostSlice[int64], len(want))
		if ok(t, group.Gather(v, got)); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	x, all, part := vector(Blocks, 1, 2, 3, 4), vector(Replicated, 0, 0, 0, 0), vector(Blocks, 0, 0, 0, 0)
	ok(t, run(CommAllReduce, ReduceProd, 0, x, part))
	is(part, 3, 8, 3, 8)
	ok(t, run(CommAllGather, ReduceSum, 0, x, all))
	is(all, 1, 2, 3, 4)
	ok(t, run(CommReduceScatter, ReduceSum, 0, all, part))
	is(part, 2, 4, 6, 8)
	ok(t, run(CommScatter, ReduceSum, 1, all, part))
	is(part, 1, 2, 3, 4)
	ok(t, run(CommAllToAll, ReduceSum, 0, x, part))
	is(part, 1, 3, 2, 4)
	ok(t, run(CommGather, ReduceSum, 0, part, all))
	is(all, 1, 3, 2, 4)
	ok(t, run(CommReduce, ReduceMax, 1, nil, x))
	is(x, 1, 2, 3, 4)
	ok(t, run(CommReduce, ReduceMax, 0, nil, x))
	is(x, 3, 4, 3, 4)
	y := vector(Blocks, 5, 6, 7, 8)
	ok(t, run(CommBroadcast, ReduceSum, 1, nil, y))
	is(y, 7, 8, 7, 8)

	fails(t, run(CommAllGather, ReduceSum, 0, nil, x), ErrInvalidArgument, "send: must be given")
	fails(t, run(CommAllGather, ReduceSum, 0, x, y), ErrInvalidArgument, "must be blocks and replicated")
	fails(t, run(11, ReduceSum, 0, x, y), ErrInvalidArgument, "barrier: takes no vectors")
	fails(t, run(99, ReduceSum, 0, x, y), ErrInvalidArgument, "operation 99")
	fails(t, run(CommBroadcast, ReduceSum, 2, x, y), ErrInvalidArgument, "root 2")
	fails(t, run(CommBroadcast, ReduceSum, 1<<40, x, y), ErrInvalidArgument, "root 1099511627776")
	fails(t, run(CommAllReduce, ReduceSum, 0, x, nil), ErrInvalidPointer, "recv is nil")
	fails(t, CommRunSharded(comms[:1], CommAllReduce, int64s, ReduceSum, 0, x, y), ErrInvalidArgument, "rank 0 of 2")
	fails(t, CommRunSharded([]*Communicator{nil}, CommAllReduce, int64s, ReduceSum, 0, x, y), ErrInvalidPointer, "communicator is nil")
	is(y, 7, 8, 7, 8)
}
