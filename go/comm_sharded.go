package icicle

// #include "shim.h"
//
// static go_status go_comm_run_sharded(const uintptr_t *comms, int32_t count, int32_t operation, icicle_comm_type_t type,
//                                      int32_t reduce, int32_t root, uintptr_t send, uintptr_t recv) {
//   GO_PLAIN(icicle_comm_run_sharded((void *const *)comms, count, operation, type, reduce, root, (void *)send, (void *)recv));
// }
import "C"

import (
	"math"
	"unsafe"
)

// CommOperation is a collective of CommRunSharded.
type CommOperation int32

// The collectives.
const (
	CommAllReduce     CommOperation = C.ICICLE_COMM_ALL_REDUCE
	CommBroadcast     CommOperation = C.ICICLE_COMM_BROADCAST
	CommReduce        CommOperation = C.ICICLE_COMM_REDUCE
	CommAllGather     CommOperation = C.ICICLE_COMM_ALL_GATHER
	CommReduceScatter CommOperation = C.ICICLE_COMM_REDUCE_SCATTER
	CommAllToAll      CommOperation = C.ICICLE_COMM_ALL_TO_ALL
	CommGather        CommOperation = C.ICICLE_COMM_GATHER
	CommScatter       CommOperation = C.ICICLE_COMM_SCATTER
)

// CommRunSharded does a collective of all ranks of a process at once, where each rank's operands are what its device holds of
// vectors over the same devices, of which every device holds as many elements; it is complete when it returns. An element of the
// vectors is one or several of the type.
//
// comms are all ranks of a communicator, in their order, as CommInitGroup makes them. reduce counts where the operation reduces,
// root where it has one. A nil send is in place: what recv holds is sent, of CommAllReduce, CommBroadcast and CommReduce. These
// and CommAllToAll take vectors of any one layout; CommAllGather and CommGather send Blocks and receive a Replicated vector, of
// which CommGather writes the root's; CommReduceScatter and CommScatter send a Replicated vector and receive Blocks.
//
// Errors: ErrInvalidArgument if comms are not all ranks in their order, there is no such operation, type, reduction or root, or
// a vector is on other devices, of other elements or lengths, in another layout, or of which devices hold unequally many;
// ErrInvalidPointer for what is nil or closed; otherwise as Communicator.AllReduce.
func CommRunSharded(comms []*Communicator, operation CommOperation, t CommType, reduce ReduceOp, root int, send, recv *Sharded) error {
	const op = "run_sharded"
	if root < math.MinInt32 || root > math.MaxInt32 {
		return fail(ErrInvalidArgument, op, "root %d: must be below %d", root, len(comms))
	}
	ranks := make([]C.uintptr_t, len(comms))
	for i, comm := range comms {
		held, err := comm.use(op)
		if err != nil {
			return err
		}
		defer held.release()
		ranks[i] = C.uintptr_t(held.handle)
	}
	var vectors [2]C.uintptr_t
	for i, vector := range []*Sharded{send, recv} {
		if i == 0 && send == nil {
			continue
		}
		held, err := vector.use(op, [2]string{"send", "recv"}[i])
		if err != nil {
			return err
		}
		defer held.release()
		vectors[i] = C.uintptr_t(held.handle)
	}
	raw := C.icicle_comm_type_t{kind: C.int32_t(t.kind), number: C.int32_t(t.number)}
	return check(op, Device{}, C.go_comm_run_sharded(
		unsafe.SliceData(ranks), count(len(ranks)), C.int32_t(operation), raw, C.int32_t(reduce), C.int32_t(root), vectors[0], vectors[1],
	))
}
