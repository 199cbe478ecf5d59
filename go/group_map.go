package icicle

// #include "shim.h"
//
// extern int32_t goGroupJob(void *context, icicle_group_job_t *place);
// extern bool goGroupProgress(void *context, int64_t done, int64_t total);
// static go_status go_group_map(uintptr_t group, int64_t jobs, uintptr_t context, int32_t streams) {
//   icicle_group_map_config_t config = icicle_group_map_config_default();
//   config.streams = streams;
//   config.progress = goGroupProgress;
//   config.progress_context = (void *)context;
//   GO_PLAIN(icicle_group_map((void *)group, jobs, (int32_t (*)(void *, const icicle_group_job_t *))goGroupJob,
//                             (void *)context, &config, NULL));
// }
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// MapOptions are options of Map. The zero value runs one job at a time on each device.
type MapOptions struct {
	// Context, once it is done, keeps jobs from being started; nil never does.
	Context context.Context
	// Streams is how many jobs are under way on a device at once, each with a stream of its own; 0 means 1.
	Streams int
	// Progress, unless nil, is called after each job with the jobs done and all, one call at a time, from the devices'
	// threads; if it returns false, no more jobs are started.
	Progress func(done, total int) bool
}

// JobPlace is where a job runs.
type JobPlace struct {
	// Device is the surrounding one, as in Device.Run.
	Device Device
	// Position is the device's in the group.
	Position int
	// Stream is for asynchronous work of the job; it is waited for before the job counts as done. It must not be used after
	// that, nor closed.
	Stream *Stream
}

// mapping is a call of Map under way.
type mapping struct {
	options MapOptions
	job     func(JobPlace, int) error
	errs    []error
	started []bool
	mu      sync.Mutex
	streams map[streamKey]*Stream
}

type streamKey struct {
	position int
	handle   uintptr
}

// Map runs f for each of the jobs, each on the device of the group that is free, and waits for all: results are in the jobs'
// order. f runs as inside Device.Run, on threads of different devices at once; it may use state of its own by position. A
// panic of f is its job's error.
//
// A device takes a job only if it would end it before the others had done all that are left, so that a slow device beside
// fast ones keeps nobody waiting. Jobs that fail keep none from running; their results are what f returned.
//
// Errors: those of all failed jobs, joined, each with the job's number and device; ErrCancelled for jobs not started, which
// also unwraps to the context's. ErrInvalidPointer if the group or f is nil or the group closed, ErrInvalidArgument for
// Streams below 0.
func Map[J, T any](g *Group, jobs []J, o MapOptions, f func(place JobPlace, job J) (T, error)) ([]T, error) {
	const op = "group_map"
	if f == nil {
		return nil, fail(ErrInvalidPointer, op, "f is nil")
	}
	results := make([]T, len(jobs))
	err := g.run(op, len(jobs), o, func(place JobPlace, i int) (err error) {
		results[i], err = f(place, jobs[i])
		return err
	})
	return results, err
}

func (g *Group) run(op string, jobs int, o MapOptions, job func(JobPlace, int) error) error {
	owner, err := g.use(op)
	if err != nil {
		return err
	}
	defer owner.release()
	if o.Streams > math.MaxInt32 || o.Streams < 0 {
		return fail(ErrInvalidArgument, op, "streams %d: must be 0 to %d", o.Streams, math.MaxInt32)
	}
	m := &mapping{options: o, job: job, errs: make([]error, jobs), started: make([]bool, jobs), streams: map[streamKey]*Stream{}}
	handle := cgo.NewHandle(m)
	defer handle.Delete()
	streams := C.int32_t(parts(o.Streams))
	failure := check(op, Device{}, C.go_group_map(C.uintptr_t(owner.handle), C.int64_t(jobs), C.uintptr_t(handle), streams))
	for _, stream := range m.streams {
		releaseAll(stream.owner.handle.take())
	}
	return m.joined(op, failure)
}

// joined are the errors of all jobs; failure is the library's for the first.
func (m *mapping) joined(op string, failure error) error {
	if failure == nil {
		return nil
	}
	var all []error
	for i, err := range m.errs {
		switch {
		case err != nil:
			all = append(all, err)
		case !m.started[i]:
			left := fail(ErrCancelled, op, "job %d: not started", i)
			if m.options.Context != nil && m.options.Context.Err() != nil {
				left = fmt.Errorf("%w: %w", left, m.options.Context.Err())
			}
			all = append(all, left)
		}
	}
	if len(all) == 0 {
		return failure // of a device, not of a job: a stream that failed after its job had returned
	}
	return errors.Join(all...)
}

// stream is the stream of a handle; what an earlier job's calls held on it is released, as that job is done.
func (m *mapping) stream(position int, device Device, handle uintptr) *Stream {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := streamKey{position, handle}
	if found, ok := m.streams[key]; ok {
		releaseAll(found.owner.handle.take())
		return found
	}
	made := &Stream{&owner[*streamState]{what: "stream", device: device, handle: &streamState{stream: handle}, free: lentStream}}
	m.streams[key] = made
	return made
}

// lentStream is the end of a stream that is the group's.
func lentStream(*streamState) error { return nil }

//export goGroupJob
func goGroupJob(context unsafe.Pointer, raw *C.icicle_group_job_t) C.int32_t {
	m := cgo.Handle(uintptr(context)).Value().(*mapping)
	i, device := int(raw.job), deviceOf(raw.device)
	if m.options.Context != nil && m.options.Context.Err() != nil {
		return C.int32_t(ErrCancelled)
	}
	m.started[i] = true
	place := JobPlace{device, int(raw.position), m.stream(int(raw.position), device, uintptr(raw.stream))}
	err := device.Run(func() error { return m.job(place, i) })
	if err == nil {
		return 0
	}
	m.errs[i] = fmt.Errorf("job %d on %v: %w", i, device, err)
	var code Code
	if errors.As(err, &code) {
		return C.int32_t(code)
	}
	return C.int32_t(ErrUnknown)
}

//export goGroupProgress
func goGroupProgress(context unsafe.Pointer, done, total C.int64_t) (goOn C.bool) {
	m := cgo.Handle(uintptr(context)).Value().(*mapping)
	if m.options.Context != nil && m.options.Context.Err() != nil {
		return false
	}
	if m.options.Progress == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			goOn = false
		}
	}()
	return C.bool(m.options.Progress(int(done), int(total)))
}
