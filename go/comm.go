package icicle

// #include "shim.h"
//
// static icicle_comm_config_t go_comm_config(double seconds, bool check, bool ordered) {
//   icicle_comm_config_t config = icicle_comm_config_default();
//   if (seconds != 0) config.timeout_seconds = seconds;
//   config.check = config.check || check;
//   config.ordered = ordered;
//   return config;
// }
// static go_status go_comm_id_create(const char *address, icicle_comm_id_t *id) { GO_PLAIN(icicle_comm_id_create(address, id)); }
// static go_status go_comm_id_release(const icicle_comm_id_t *id) { GO_PLAIN(icicle_comm_id_release(id)); }
// static int32_t go_comm_all(const icicle_device_t *devices, int32_t count, icicle_comm_config_t config, uintptr_t *handles) {
//   return icicle_comm_init_all(devices, count, &config, (void **)handles);
// }
// static go_status go_comm_init_all(const icicle_device_t *devices, int32_t count, double seconds, bool check, bool ordered, uintptr_t *handles) {
//   GO_PLAIN(go_comm_all(devices, count, go_comm_config(seconds, check, ordered), handles));
// }
// static int32_t go_comm_group_devices(uintptr_t group, icicle_comm_config_t config, uintptr_t *handles) {
//   return icicle_comm_init_group((void *)group, &config, (void **)handles);
// }
// static go_status go_comm_init_group(uintptr_t group, double seconds, bool check, bool ordered, uintptr_t *handles) {
//   GO_PLAIN(go_comm_group_devices(group, go_comm_config(seconds, check, ordered), handles));
// }
// static int32_t go_comm_one(const icicle_comm_id_t *id, int32_t size, int32_t rank, icicle_comm_config_t config, void **made) {
//   return id ? icicle_comm_init_rank(id, size, rank, NULL, &config, made) : icicle_comm_from_env(NULL, &config, made);
// }
// static go_status go_comm_init_rank(go_place at, const icicle_comm_id_t *id, int32_t size, int32_t rank, double seconds,
//                                    bool check, bool ordered, uintptr_t *handle) {
//   GO_MAKE_AT(at, go_comm_one(id, size, rank, go_comm_config(seconds, check, ordered), &made));
// }
// static go_status go_comm_split(uintptr_t comm, int32_t color, int32_t key, uintptr_t *handle) {
//   GO_MAKE(icicle_comm_split((void *)comm, color, key, &made));
// }
// static go_status go_comm_info(uintptr_t comm, icicle_comm_info_t *info) {
//   info->struct_size = sizeof *info;
//   GO_PLAIN(icicle_comm_info((void *)comm, info));
// }
// static go_status go_comm_carrier(uintptr_t comm, char *text, size_t bytes) {
//   GO_PLAIN(icicle_comm_carrier((void *)comm, text, bytes));
// }
// static go_status go_comm_failure(uintptr_t comm, int32_t *code, char *text, size_t bytes) {
//   GO_PLAIN(icicle_comm_failure((void *)comm, code, text, bytes));
// }
// static go_status go_comm_abort(uintptr_t comm) { GO_PLAIN(icicle_comm_abort((void *)comm)); }
// static go_status go_comm_finalize(uintptr_t comm) { GO_PLAIN(icicle_comm_finalize((void *)comm)); }
// static go_status go_comm_destroy(uintptr_t comm) { GO_PLAIN(icicle_comm_destroy((void *)comm)); }
import "C"

import (
	"math"
	"strings"
	"time"
	"unsafe"
)

// Communicator is one rank's end of a group of ranks, each with a device. Every rank calls the same operations in the same
// order, from a goroutine or process of its own, or one goroutine calls for several ranks by CommGroup.
//
// Once a call failed for what another rank did or did not do, each later call returns the first error at once: make a new
// communicator. Calls that are refused for their arguments send nothing and harm nothing. Any goroutine may Abort.
type Communicator struct {
	owner      *owner[uintptr]
	rank, size int
	device     Device
	// group, if any, is what calls are put off to.
	group *Calls
}

// CommConfig are the options of a new communicator, which those split off it have too.
type CommConfig struct {
	// Timeout is how long a call waits for ranks that do not come or do not go on, before it fails and names them; 0 is 5
	// minutes.
	Timeout time.Duration
	// Check has ranks compare what each is about to do before any data is sent, as ICICLE_COMM_CHECK=1 in the environment
	// does; ranks of one process always do. All ranks set it alike.
	Check bool
	// Ordered has GPUs reduce numbers in the order of ranks, as CPU devices always do, so that floats have the same bits as
	// there; else NCCL, where it carries, reduces those that it has. All ranks set it alike.
	Ordered bool
}

// CommID is what the ranks of one communicator find each other by, once; copy it to the other ranks as it is. It is a secret:
// who has it may be a rank.
type CommID [128]byte

// NewCommID makes an id. This process is to be rank 0, and listens until CommInitRank or Release: at an address, a host and
// a port such as 10.0.0.1:0 that the other ranks' hosts reach, port 0 for one that the system chooses; of "" the loopback
// interface, for ranks of this host. What ranks send is neither secret nor protected from change on its way.
//
// Errors: ErrInvalidArgument if it cannot listen there, or that is no address; ErrUnknown if the system gives no port or no
// entropy.
func NewCommID(address string) (CommID, error) {
	const op = "unique_id"
	var id C.icicle_comm_id_t
	if strings.IndexByte(address, 0) >= 0 {
		return CommID{}, fail(ErrInvalidArgument, op, "address %q: must be without 0", address)
	}
	var text *C.char
	if address != "" {
		bytes := append([]byte(address), 0)
		text = (*C.char)(unsafe.Pointer(unsafe.SliceData(bytes)))
	}
	err := check(op, Device{}, C.go_comm_id_create(text, &id))
	return *(*CommID)(unsafe.Pointer(&id)), err
}

func (id *CommID) raw() *C.icicle_comm_id_t { return (*C.icicle_comm_id_t)(unsafe.Pointer(id)) }

// Release stops to listen for ranks of an id that is not used after all.
//
// Errors: ErrInvalidArgument if it was not made in this process, or is used or released already.
func (id CommID) Release() error {
	return check("id_release", Device{}, C.go_comm_id_release(id.raw()))
}

func newCommunicator(op string, handle C.uintptr_t) (*Communicator, error) {
	var info C.icicle_comm_info_t
	if err := check(op, Device{}, C.go_comm_info(handle, &info)); err != nil {
		return nil, err
	}
	device := deviceOf(info.device)
	made := newOwner("communicator", device, uintptr(handle), destroyCommunicator)
	return &Communicator{owner: made, rank: int(info.rank), size: int(info.size), device: device}, nil
}

func destroyCommunicator(comm uintptr) error {
	return check("comm_destroy", Device{}, C.go_comm_destroy(C.uintptr_t(comm)))
}

// CommInitAll makes communicators of this process, one rank for each device, in their order; a device may be named more than
// once.
//
// Errors: ErrInvalidArgument if there are none or more than 1024, or for a negative timeout; ErrInvalidDevice; ErrUnsupported
// for devices without collectives.
func CommInitAll(devices []Device, config CommConfig) ([]*Communicator, error) {
	const op = "init_all"
	raw := make([]C.icicle_device_t, len(devices))
	for i, device := range devices {
		var err error
		if raw[i], err = device.raw(op); err != nil {
			return nil, err
		}
	}
	handles := make([]C.uintptr_t, len(devices)+1)
	status := C.go_comm_init_all(unsafe.SliceData(raw), count(len(raw)), C.double(config.Timeout.Seconds()), C.bool(config.Check), C.bool(config.Ordered), &handles[0])
	return newCommunicators(op, check(op, Device{}, status), handles[:len(devices)])
}

// CommInitGroup makes communicators as CommInitAll does, one rank for each device of a group, in its order: CommRunSharded does
// collectives over the group's vectors.
//
// Errors: as CommInitAll; ErrInvalidPointer if the group is nil or closed.
func CommInitGroup(group *Group, config CommConfig) ([]*Communicator, error) {
	const op = "init_group"
	held, err := group.use(op)
	if err != nil {
		return nil, err
	}
	defer held.release()
	handles := make([]C.uintptr_t, len(group.devices)+1)
	status := C.go_comm_init_group(C.uintptr_t(held.handle), C.double(config.Timeout.Seconds()), C.bool(config.Check), C.bool(config.Ordered), &handles[0])
	return newCommunicators(op, check(op, Device{}, status), handles[:len(group.devices)])
}

// newCommunicators owns what a call made.
func newCommunicators(op string, err error, handles []C.uintptr_t) ([]*Communicator, error) {
	if err != nil {
		return nil, err
	}
	made := make([]*Communicator, len(handles))
	for i := range made {
		if made[i], err = newCommunicator(op, handles[i]); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// CommInitRank makes the communicator of rank rank of size, each perhaps in a process of its own, on a device; of the zero
// Device on that of the surrounding Device.Run, or else the default device. It waits until all came. Rank 0 is in the process
// that made the id.
//
// Errors: ErrInvalidArgument if the rank is not below the size, that not 1 to 1024, the timeout is negative, or the id is none or
// used already; ErrInvalidDevice; ErrUnsupported for devices without collectives; ErrTimeout, which names the ranks that did not
// come; ErrRemote if another rank failed, or refused this one.
func CommInitRank(id CommID, size, rank int, device Device, config CommConfig) (*Communicator, error) {
	const op = "init_rank"
	for name, value := range map[string]int{"size": size, "rank": rank} {
		if value < math.MinInt32 || value > math.MaxInt32 {
			return nil, fail(ErrInvalidArgument, op, "%s %d: must be at most %d", name, value, math.MaxInt32)
		}
	}
	return initRank(op, &id, size, rank, device, config)
}

// CommFromEnv makes the communicator of the rank that a launcher made this process: RANK of WORLD_SIZE, rank 0 listening at
// MASTER_ADDR and MASTER_PORT, as torchrun sets them. Where torchrun's own store has that port it is the next one;
// ICICLE_COMM_PORT chooses another. There is no secret but what ICICLE_COMM_SECRET says, the same for all ranks. The device is as
// of CommInitRank.
//
// Errors: as CommInitRank; ErrInvalidArgument also if a variable is missing or no number, or rank 0 cannot listen there.
func CommFromEnv(device Device, config CommConfig) (*Communicator, error) {
	return initRank("from_env", nil, 0, 0, device, config)
}

func initRank(op string, id *CommID, size, rank int, device Device, config CommConfig) (*Communicator, error) {
	at := ambient()
	if device != (Device{}) {
		var err error
		if at, err = device.place(op); err != nil {
			return nil, err
		}
	}
	var raw *C.icicle_comm_id_t
	if id != nil {
		raw = id.raw()
	}
	var handle C.uintptr_t
	status := C.go_comm_init_rank(at, raw, C.int32_t(size), C.int32_t(rank), C.double(config.Timeout.Seconds()), C.bool(config.Check), C.bool(config.Ordered), &handle)
	if err := check(op, device, status); err != nil {
		return nil, err
	}
	return newCommunicator(op, handle)
}

// Rank is this rank, from 0.
func (c *Communicator) Rank() int { return c.rank }

// Size is how many ranks there are.
func (c *Communicator) Size() int { return c.size }

// Device is this rank's device.
func (c *Communicator) Device() Device { return c.device }

// use keeps the communicator for a call.
func (c *Communicator) use(op string) (*owner[uintptr], error) {
	switch {
	case c == nil || c.owner == nil:
		return nil, fail(ErrInvalidPointer, op, "communicator is nil")
	case !c.owner.acquire():
		return nil, fail(ErrInvalidPointer, op, "communicator: closed already")
	}
	return c.owner, nil
}

// Split divides the ranks: those of one color make a communicator, in which they are ordered by key, and by their rank where
// keys are equal. All ranks call it; this communicator stays as it is. A rank with a negative color gets nil.
//
// Errors: ErrInvalidArgument for a color or key beyond 32 bits; ErrInvalidPointer if closed; ErrTimeout; ErrRemote;
// ErrCancelled if the communicator is aborted.
func (c *Communicator) Split(color, key int) (*Communicator, error) {
	const op = "split"
	if color > math.MaxInt32 || key < math.MinInt32 || key > math.MaxInt32 {
		return nil, fail(ErrInvalidArgument, op, "color %d, key %d: must be of 32 bits", color, key)
	}
	held, err := c.use(op)
	if err != nil {
		return nil, err
	}
	defer held.release()
	var handle C.uintptr_t
	status := C.go_comm_split(C.uintptr_t(held.handle), C.int32_t(max(color, -1)), C.int32_t(key), &handle)
	if err := check(op, c.device, status); err != nil || handle == 0 {
		return nil, err
	}
	return newCommunicator(op, handle)
}

// Carrier is what carries, for humans: "host memory", "TCP", "copies between devices", or "NCCL" and its version.
//
// Errors: ErrInvalidPointer if closed.
func (c *Communicator) Carrier() (string, error) {
	const op = "comm_carrier"
	held, err := c.use(op)
	if err != nil {
		return "", err
	}
	defer held.release()
	text := make([]C.char, 64)
	err = check(op, c.device, C.go_comm_carrier(C.uintptr_t(held.handle), unsafe.SliceData(text), C.size_t(len(text))))
	return C.GoString(unsafe.SliceData(text)), err
}

// Failure is the error that ended communication, if one did, such as one that a call of another goroutine met; otherwise nil.
// It also fails with ErrInvalidPointer if closed.
func (c *Communicator) Failure() error {
	const op = "comm_failure"
	held, err := c.use(op)
	if err != nil {
		return err
	}
	defer held.release()
	var code C.int32_t
	text := make([]C.char, 1024)
	status := C.go_comm_failure(C.uintptr_t(held.handle), &code, unsafe.SliceData(text), C.size_t(len(text)))
	if err := check(op, c.device, status); err != nil || code == C.ICICLE_SUCCESS {
		return err
	}
	message := C.GoString(unsafe.SliceData(text))
	failed, _, _ := strings.Cut(message, ":")
	return &Error{Code: Code(code), Op: failed, Device: c.device, Message: message}
}

// Abort ends communication: calls of this rank that wait, in any goroutine, fail with ErrCancelled, and so do later ones; the
// other ranks fail with ErrRemote as they notice, those of one process with ErrCancelled. Close it all the same.
//
// Errors: ErrInvalidPointer if closed.
func (c *Communicator) Abort() error {
	held, err := c.use("comm_abort")
	if err != nil {
		return err
	}
	defer held.release()
	return check("comm_abort", c.device, C.go_comm_abort(C.uintptr_t(held.handle)))
}

// Finalize waits for all ranks to finalize, and closes the communicator, also where that fails.
//
// Errors: ErrTimeout; ErrRemote; ErrCancelled if it is aborted; ErrInvalidPointer if closed.
func (c *Communicator) Finalize() error {
	held, err := c.use("finalize")
	if err != nil {
		return err
	}
	err = check("finalize", c.device, C.go_comm_finalize(C.uintptr_t(held.handle)))
	held.release()
	_ = held.close() // the library has no such communicator any more
	return err
}

// Close leaves, without waiting for the others: those that wait for this rank fail with ErrRemote. Calls of other goroutines
// that use the communicator are done first; Abort ends those. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (c *Communicator) Close() error {
	if c == nil || c.owner == nil {
		return nil
	}
	return c.owner.close()
}
