package icicle

// #include <stdlib.h>
// #include "shim.h"
//
// /* One call; handles are integers, memory as cgo takes it. */
// typedef struct {
//   uintptr_t comm, stream;
//   uint64_t count;
//   icicle_comm_type_t type;
//   int32_t operation, reduce, peer;
//   go_in send;
//   go_out recv;
// } go_comm_call;
//
// static int32_t go_comm_one_call(go_comm_call c, go_in send, go_out recv) {
//   void *comm = (void *)c.comm, *stream = (void *)c.stream;
//   switch (c.operation) {
//     case ICICLE_COMM_ALL_REDUCE: return icicle_comm_all_reduce(comm, c.type, c.reduce, c.count, send, recv, stream);
//     case ICICLE_COMM_BROADCAST: return icicle_comm_broadcast(comm, c.type, c.count, c.peer, send, recv, stream);
//     case ICICLE_COMM_REDUCE: return icicle_comm_reduce(comm, c.type, c.reduce, c.count, c.peer, send, recv, stream);
//     case ICICLE_COMM_ALL_GATHER: return icicle_comm_all_gather(comm, c.type, c.count, send, recv, stream);
//     case ICICLE_COMM_REDUCE_SCATTER: return icicle_comm_reduce_scatter(comm, c.type, c.reduce, c.count, send, recv, stream);
//     case ICICLE_COMM_ALL_TO_ALL: return icicle_comm_all_to_all(comm, c.type, c.count, send, recv, stream);
//     case ICICLE_COMM_GATHER: return icicle_comm_gather(comm, c.type, c.count, c.peer, send, recv, stream);
//     case ICICLE_COMM_SCATTER: return icicle_comm_scatter(comm, c.type, c.count, c.peer, send, recv, stream);
//     case ICICLE_COMM_SEND: return icicle_comm_send(comm, c.type, c.count, c.peer, send, stream);
//     case ICICLE_COMM_RECV: return icicle_comm_recv(comm, c.type, c.count, c.peer, recv, stream);
//     default: return icicle_comm_barrier(comm, stream);
//   }
// }
// static go_status go_comm_run(go_comm_call c, go_in send, go_out recv) { GO_PLAIN(go_comm_one_call(c, send, recv)); }
//
// static int32_t go_comm_calls(const go_comm_call *given, int32_t n) {
//   icicle_comm_call_t *calls = malloc(n * sizeof *calls);
//   if (!calls) return ICICLE_OUT_OF_MEMORY;
//   for (int32_t i = 0; i < n; i++) {
//     icicle_comm_call_t call = icicle_comm_call_default();
//     call.comm = (void *)given[i].comm;
//     call.stream = (void *)given[i].stream;
//     call.operation = given[i].operation;
//     call.reduce = given[i].reduce;
//     call.type = given[i].type;
//     call.count = given[i].count;
//     call.peer = given[i].peer;
//     call.send = given[i].send;
//     call.recv = given[i].recv;
//     calls[i] = call;
//   }
//   int32_t code = icicle_comm_group(calls, n);
//   free(calls);
//   return code;
// }
// static go_status go_comm_group(const go_comm_call *given, int32_t n) { GO_PLAIN(go_comm_calls(given, n)); }
import "C"

import (
	"math"
	"runtime"
	"unsafe"
)

// CommType is the type of a collective's elements.
type CommType struct{ kind, number int32 }

// CommNumbers is numbers of a dtype.
func CommNumbers(dtype DType) CommType { return CommType{C.ICICLE_COMM_NUMBERS, int32(dtype)} }

// CommElements is canonical elements of a field.
func CommElements(field Field) CommType { return CommType{C.ICICLE_COMM_ELEMENTS, int32(field)} }

// CommPoints is projective points of a curve.
func CommPoints(curve Curve) CommType { return CommType{C.ICICLE_COMM_POINTS, int32(curve)} }

// bytes of an element.
func (t CommType) bytes(c *call) int {
	switch t.kind {
	case C.ICICLE_COMM_ELEMENTS:
		return c.field(Field(t.number)).Bytes
	case C.ICICLE_COMM_POINTS:
		return c.curve(Curve(t.number)).ProjectiveBytes
	}
	bytes := DType(t.number).Bytes()
	if bytes == 0 {
		c.fail(ErrInvalidArgument, "dtype %d: must be a DType", t.number)
	}
	return bytes
}

// ReduceOp is how the elements of all ranks become one. They are taken in the order of ranks, so that every rank gets the same
// bits.
type ReduceOp int32

// The reductions. Integers wrap, and their average is towards zero; 16-bit floats are reduced in float32 and rounded once; the sum
// of booleans is whether any is true, the product whether all are; the least and the greatest are NaN if any number is.
const (
	ReduceSum  ReduceOp = C.ICICLE_REDUCE_SUM
	ReduceProd ReduceOp = C.ICICLE_REDUCE_PROD
	ReduceMin  ReduceOp = C.ICICLE_REDUCE_MIN
	ReduceMax  ReduceOp = C.ICICLE_REDUCE_MAX
	ReduceAvg  ReduceOp = C.ICICLE_REDUCE_AVG
)

// request is what a call is to do.
type request struct {
	operation, reduce C.int32_t
	t                 CommType
	peer              int
	launch            Launch
	send, recv        Slice
	// How often the count is sent, and received; 0 where nothing is.
	sent, received int
}

// queued is a call of a group, with what it keeps.
type queued struct {
	call *call
	held *owner[uintptr]
	comm C.go_comm_call
}

// Calls are the calls of a group.
type Calls struct{ queued []queued }

// Of is a communicator whose calls are the group's: they are done once its function has returned.
func (g *Calls) Of(c *Communicator) *Communicator {
	if c == nil {
		return nil
	}
	return &Communicator{owner: c.owner, rank: c.rank, size: c.size, device: c.device, group: g}
}

// CommGroup does the calls that f makes, on communicators of calls.Of, as one, after f returned: of one rank, so that transfers
// in both directions do not wait for each other, or of several ranks of this process. A rank may send to itself what it receives in
// the same group. Calls of one communicator are done in their order, but transfers between ranks all at once. All of them are checked
// before any is begun.
//
// Errors: those of the calls; of f, and then nothing is done.
func CommGroup(f func(calls *Calls) error) error {
	const op = "group"
	if f == nil {
		return fail(ErrInvalidArgument, op, "f is nil")
	}
	group := new(Calls)
	defer group.release()
	if err := f(group); err != nil || len(group.queued) == 0 {
		return err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	calls := make([]C.go_comm_call, len(group.queued))
	for i, one := range group.queued {
		calls[i] = one.comm
		for _, o := range one.call.args {
			if o.owner == nil && o.bytes > 0 {
				pinner.Pin(o.ptr)
			}
		}
	}
	collect()
	err := check(op, Device{}, C.go_comm_group(unsafe.SliceData(calls), count(len(calls))))
	for i := range group.queued {
		one := &group.queued[i]
		if err == nil {
			err = one.call.wait()
		}
		// Also after an error: part of the work may be enqueued.
		_ = one.call.end(C.go_status{})
		one.call = nil
	}
	return err
}

// release lets go of what is kept.
func (g *Calls) release() {
	for _, one := range g.queued {
		one.held.release()
		if one.call != nil {
			one.call.release()
		}
	}
}

// wait waits for a stream of a call that is to be complete when it returns.
func (c *call) wait() error {
	if c.launch == nil || c.async {
		return nil
	}
	return (&Stream{c.launch}).Synchronize()
}

// do makes a call, or puts it off to its group.
func (c *Communicator) do(op string, r request) error {
	held, err := c.use(op)
	if err != nil {
		return err
	}
	var args []arg
	send, recv := -1, -1
	if r.sent > 0 {
		send = len(args)
		args = append(args, arg{"send", r.send})
	}
	if r.received > 0 {
		recv = len(args)
		args = append(args, arg{"recv", r.recv})
	}
	k := begin(op, r.launch, args...)
	k.device = c.device
	bytes, n := max(r.t.bytes(k), 1), 0
	of, parts := send, r.sent
	if recv >= 0 && r.received == 1 {
		of, parts = recv, 1
	}
	if of >= 0 {
		n = k.count(of, bytes, parts)
	}
	if send >= 0 {
		k.need(send, bytes, n, r.sent)
	}
	if recv >= 0 {
		k.need(recv, bytes, n, r.received)
	}
	if r.peer < math.MinInt32 || r.peer > math.MaxInt32 {
		k.fail(ErrInvalidArgument, "rank %d: must be below %d", r.peer, c.size)
	}
	if k.err != nil {
		held.release()
		return k.abandon()
	}
	given := C.go_comm_call{
		comm: C.uintptr_t(held.handle), stream: k.stream(), count: C.uint64_t(n),
		operation: r.operation, reduce: r.reduce, peer: C.int32_t(r.peer),
	}
	given._type.kind, given._type.number = C.int32_t(r.t.kind), C.int32_t(r.t.number)
	var from C.go_in
	var to C.go_out
	if send >= 0 {
		from = C.go_in(k.ptr(send))
	}
	if recv >= 0 {
		to = C.go_out(k.ptr(recv))
	}
	if c.group != nil {
		given.send, given.recv = from, to
		c.group.queued = append(c.group.queued, queued{k, held, given})
		return nil
	}
	defer held.release()
	status := C.go_comm_run(given, from, to)
	if status.code == C.ICICLE_SUCCESS {
		err = k.wait()
	}
	if ended := k.end(status); ended != nil {
		return ended
	}
	return err
}

// AllReduce gives every rank the reduction of all ranks' vectors; recv may be send. Operands are host memory or memory of the
// rank's device. With an asynchronous launch the call is put on its stream; otherwise it is complete when it returns. What was
// received is unspecified after a failure.
//
// Errors, of all operations: ErrInvalidArgument for operands of other lengths, an unknown type, reduction or rank, memory that
// overlaps otherwise than in place, and if the ranks' calls differ; ErrInvalidPointer for nil, misaligned or closed memory, memory of
// another device, and a closed communicator; ErrUnsupported if the type is not so reduced; ErrTimeout, which names the ranks that did
// not come or did not go on; ErrRemote if a rank failed, left, or its process ended; ErrCancelled if the communicator is aborted.
func (c *Communicator) AllReduce(t CommType, op ReduceOp, send, recv Slice, launch Launch) error {
	return c.do("all_reduce", request{C.ICICLE_COMM_ALL_REDUCE, C.int32_t(op), t, 0, launch, send, recv, 1, 1})
}

// sum is the reduction of calls that have none.
const sum = C.ICICLE_REDUCE_SUM

// at is n at the root, and 0 elsewhere.
func (c *Communicator) at(root, n int) int {
	if c != nil && c.rank == root {
		return n
	}
	return 0
}

// ranks is how many there are; of no communicator, whose call is refused, any number.
func (c *Communicator) ranks() int {
	if c == nil {
		return 1
	}
	return c.size
}

// Broadcast gives every rank the root's vector; send counts at the root, and recv may be send.
//
// Errors: as AllReduce.
func (c *Communicator) Broadcast(t CommType, root int, send, recv Slice, launch Launch) error {
	return c.do("broadcast", request{C.ICICLE_COMM_BROADCAST, sum, t, root, launch, send, recv, c.at(root, 1), 1})
}

// Reduce gives the root the reduction of all ranks' vectors; recv counts there, and may be send.
//
// Errors: as AllReduce.
func (c *Communicator) Reduce(t CommType, op ReduceOp, root int, send, recv Slice, launch Launch) error {
	return c.do("reduce", request{C.ICICLE_COMM_REDUCE, C.int32_t(op), t, root, launch, send, recv, 1, c.at(root, 1)})
}

// AllGather gives every rank all ranks' vectors, in the order of ranks; send may be part rank of recv.
//
// Errors: as AllReduce.
func (c *Communicator) AllGather(t CommType, send, recv Slice, launch Launch) error {
	return c.do("all_gather", request{C.ICICLE_COMM_ALL_GATHER, sum, t, 0, launch, send, recv, 1, c.ranks()})
}

// ReduceScatter gives each rank its part of the reduction of all ranks' vectors, in the order of ranks; recv may be part rank of
// send.
//
// Errors: as AllReduce.
func (c *Communicator) ReduceScatter(t CommType, op ReduceOp, send, recv Slice, launch Launch) error {
	return c.do("reduce_scatter", request{C.ICICLE_COMM_REDUCE_SCATTER, C.int32_t(op), t, 0, launch, send, recv, c.ranks(), 1})
}

// AllToAll gives each rank its part of every rank's vector, in the order of ranks; recv must not be send.
//
// Errors: as AllReduce.
func (c *Communicator) AllToAll(t CommType, send, recv Slice, launch Launch) error {
	return c.do("all_to_all", request{C.ICICLE_COMM_ALL_TO_ALL, sum, t, 0, launch, send, recv, c.ranks(), c.ranks()})
}

// Gather gives the root all ranks' vectors, in the order of ranks; recv counts there, and send may be part root of it.
//
// Errors: as AllReduce.
func (c *Communicator) Gather(t CommType, root int, send, recv Slice, launch Launch) error {
	return c.do("gather", request{C.ICICLE_COMM_GATHER, sum, t, root, launch, send, recv, 1, c.at(root, c.ranks())})
}

// Scatter gives each rank its part of the root's vector, in the order of ranks; send counts there, and recv may be part root of it.
//
// Errors: as AllReduce.
func (c *Communicator) Scatter(t CommType, root int, send, recv Slice, launch Launch) error {
	return c.do("scatter", request{C.ICICLE_COMM_SCATTER, sum, t, root, launch, send, recv, c.at(root, c.ranks()), 1})
}

// Send sends to another rank, which calls Recv; to this one in a group that has both.
//
// Errors: as AllReduce.
func (c *Communicator) Send(t CommType, peer int, send Slice, launch Launch) error {
	return c.do("send", request{C.ICICLE_COMM_SEND, sum, t, peer, launch, send, nil, 1, 0})
}

// Recv receives from another rank, which calls Send.
//
// Errors: as AllReduce.
func (c *Communicator) Recv(t CommType, peer int, recv Slice, launch Launch) error {
	return c.do("recv", request{C.ICICLE_COMM_RECV, sum, t, peer, launch, nil, recv, 0, 1})
}

// Barrier waits for all ranks.
//
// Errors: as AllReduce.
func (c *Communicator) Barrier(launch Launch) error {
	return c.do("barrier", request{C.ICICLE_COMM_BARRIER, sum, CommNumbers(DTypeUint8), 0, launch, nil, nil, 0, 0})
}
