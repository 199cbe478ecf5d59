package icicle

// #include "shim.h"
//
// static int32_t go_symbol(icicle_handle_t made, uintptr_t *handle) {
//   if (!made) return icicle_last_error();
//   *handle = (uintptr_t)made;
//   return ICICLE_SUCCESS;
// }
// static go_status go_input_symbol(int32_t field, int i, uintptr_t *out) {
//   GO_PLAIN(go_symbol(icicle_create_input_symbol(field, i), out));
// }
// static go_status go_scalar_symbol(int32_t field, go_in constant, uintptr_t *out) {
//   GO_PLAIN(go_symbol(icicle_create_scalar_symbol(field, constant), out));
// }
// typedef icicle_error_t (*go_symbols_call)(int32_t, icicle_handle_t, icicle_handle_t, icicle_handle_t *);
// static go_status go_symbols(go_symbols_call f, int32_t field, uintptr_t a, uintptr_t b, uintptr_t *out) {
//   icicle_handle_t made = NULL;
//   GO_PLAIN(go_keep(f(field, (void *)a, (void *)b, &made), &made, out));
// }
// static go_status go_inverse_symbol(int32_t field, uintptr_t a, uintptr_t *out) {
//   icicle_handle_t made = NULL;
//   GO_PLAIN(go_keep(icicle_inverse_symbol(field, (void *)a, &made), &made, out));
// }
// typedef icicle_error_t (*go_program_call)(int32_t, const icicle_handle_t *, int, icicle_handle_t *);
// static go_status go_program(go_program_call f, int32_t field, const uintptr_t *symbols, int n, uintptr_t *out) {
//   icicle_handle_t made = NULL;
//   GO_PLAIN(go_keep(f(field, (const icicle_handle_t *)symbols, n, &made), &made, out));
// }
// typedef icicle_handle_t (*go_predefined_call)(int32_t, int);
// static go_status go_predefined(go_predefined_call f, int32_t field, int which, uintptr_t *out) {
//   GO_PLAIN(go_symbol(f(field, which), out));
// }
// static go_status go_delete_program(uintptr_t program) { GO_PLAIN(delete_program((void *)program)); }
// static go_status go_execute_program(go_place at, int32_t field, uint8_t **vectors, uint64_t count, uintptr_t program,
//                                     uint64_t n, go_vector_options o) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_execute_program(field, (void *const *)vectors, count, (void *)program, n, &config));
// }
import "C"

import (
	"runtime"
	"unsafe"
)

// Symbol is a value of an arithmetic circuit. Symbols are immutable and may be shared; they are built in Go and reach the
// library when a Program is made of them.
type Symbol struct {
	make func(b *builder, operands []C.uintptr_t) (C.uintptr_t, error)
	from []*Symbol
}

// Input is the i-th vector's element before the program runs.
func Input(i int) *Symbol {
	return &Symbol{make: func(b *builder, _ []C.uintptr_t) (handle C.uintptr_t, err error) {
		c := call{op: "create_input_symbol"}
		if n := c.integer("in_idx", i); c.err == nil {
			c.err = check(c.op, Device{}, C.go_input_symbol(b.field, C.int(n), &handle))
		}
		return handle, c.err
	}}
}

// Constant is a canonical element, little endian, of as many bytes as the field's.
func Constant(element []byte) *Symbol {
	copied := append([]byte(nil), element...)
	return &Symbol{make: func(b *builder, _ []C.uintptr_t) (handle C.uintptr_t, err error) {
		const op = "create_scalar_symbol"
		if len(copied) != b.bytes {
			return 0, fail(ErrInvalidArgument, op, "constant holds %d bytes: need 1 element, %d bytes", len(copied), b.bytes)
		}
		err = check(op, Device{}, C.go_scalar_symbol(b.field, (*C.uint8_t)(unsafe.SliceData(copied)), &handle))
		return handle, err
	}}
}

func combine(op string, function C.go_symbols_call, a, b *Symbol) *Symbol {
	return &Symbol{from: []*Symbol{a, b}, make: func(m *builder, of []C.uintptr_t) (handle C.uintptr_t, err error) {
		err = check(op, Device{}, C.go_symbols(function, m.field, of[0], of[1], &handle))
		return handle, err
	}}
}

// Add is s + other.
func (s *Symbol) Add(other *Symbol) *Symbol {
	return combine("add_symbols", C.go_symbols_call(C.icicle_add_symbols), s, other)
}

// Sub is s - other.
func (s *Symbol) Sub(other *Symbol) *Symbol {
	return combine("sub_symbols", C.go_symbols_call(C.icicle_sub_symbols), s, other)
}

// Mul is s·other.
func (s *Symbol) Mul(other *Symbol) *Symbol {
	return combine("multiply_symbols", C.go_symbols_call(C.icicle_multiply_symbols), s, other)
}

// Inv is 1/s, 0 of 0.
func (s *Symbol) Inv() *Symbol {
	return &Symbol{from: []*Symbol{s}, make: func(b *builder, of []C.uintptr_t) (handle C.uintptr_t, err error) {
		err = check("inverse_symbol", Device{}, C.go_inverse_symbol(b.field, of[0], &handle))
		return handle, err
	}}
}

// builder makes the library's symbols for Go's, each once. The library's belong to a thread, so it must not change.
type builder struct {
	field C.int32_t
	bytes int
	made  map[*Symbol]C.uintptr_t
}

// build walks the circuit with a stack of its own: chains may be longer than Go's would be.
func (b *builder) build(root *Symbol) error {
	for stack := []*Symbol{root}; len(stack) > 0; {
		s := stack[len(stack)-1]
		if s == nil || s.make == nil {
			return fail(ErrInvalidPointer, "generate_program", "symbol is nil")
		}
		var operands []C.uintptr_t
		for _, from := range s.from {
			if handle, ok := b.made[from]; ok {
				operands = append(operands, handle)
			} else {
				stack = append(stack, from)
			}
		}
		if len(operands) < len(s.from) {
			continue
		}
		stack = stack[:len(stack)-1]
		if _, ok := b.made[s]; ok {
			continue
		}
		handle, err := s.make(b, operands)
		if err != nil {
			return err
		}
		b.made[s] = handle
	}
	return nil
}

// Program is a circuit, compiled: executing it replaces each vector's element by its parameter's value.
type Program struct {
	owner *owner[uintptr]
}

// Predefined is a circuit the library knows by number.
type Predefined int32

// The circuits: of vectors a, b, c (and eq), with the result in a last vector.
const (
	// ABMinusC is a·b - c.
	ABMinusC Predefined = 0
	// EqTimesABMinusC is eq·(a·b - c).
	EqTimesABMinusC Predefined = 1
)

// NewProgram compiles the circuit whose i-th vector becomes parameters[i]. Close frees it.
//
// Errors: ErrInvalidPointer for nil symbols, ErrInvalidArgument for a constant of another field's size, an input beyond the
// parameters, or a circuit too large.
func (f Field) NewProgram(parameters ...*Symbol) (*Program, error) {
	return f.program("generate_program", C.go_program_call(C.icicle_generate_program), parameters)
}

// NewReturningProgram compiles a circuit whose last parameter is a value that is returned; otherwise as NewProgram.
//
// Errors: as NewProgram.
func (f Field) NewReturningProgram(parameters ...*Symbol) (*Program, error) {
	return f.program("generate_returning_value_program", C.go_program_call(C.icicle_generate_returning_value_program), parameters)
}

func (f Field) program(op string, function C.go_program_call, parameters []*Symbol) (*Program, error) {
	info, err := f.info(op)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer C.icicle_release_symbols()
	b := &builder{C.int32_t(f), info.Bytes, map[*Symbol]C.uintptr_t{}}
	handles := make([]C.uintptr_t, len(parameters))
	for i, s := range parameters {
		if err := b.build(s); err != nil {
			return nil, err
		}
		handles[i] = b.made[s]
	}
	var handle C.uintptr_t
	if err := check(op, Device{}, C.go_program(function, b.field, unsafe.SliceData(handles), C.int(len(handles)), &handle)); err != nil {
		return nil, err
	}
	return &Program{newOwner("program", Device{}, uintptr(handle), deleteProgram)}, nil
}

// NewPredefinedProgram makes a circuit known by number.
//
// Errors: ErrInvalidArgument if there is none.
func (f Field) NewPredefinedProgram(which Predefined) (*Program, error) {
	return f.predefined("create_predefined_program", C.go_predefined_call(C.icicle_create_predefined_program), which)
}

// NewPredefinedReturningProgram makes a circuit known by number that returns its value.
//
// Errors: ErrInvalidArgument if there is none.
func (f Field) NewPredefinedReturningProgram(which Predefined) (*Program, error) {
	return f.predefined("create_predefined_returning_value_program",
		C.go_predefined_call(C.icicle_create_predefined_returning_value_program), which)
}

func (f Field) predefined(op string, function C.go_predefined_call, which Predefined) (*Program, error) {
	var handle C.uintptr_t
	if err := check(op, Device{}, C.go_predefined(function, C.int32_t(f), C.int(which), &handle)); err != nil {
		return nil, err
	}
	return &Program{newOwner("program", Device{}, uintptr(handle), deleteProgram)}, nil
}

func deleteProgram(program uintptr) error {
	return check("delete_program", Device{}, C.go_delete_program(C.uintptr_t(program)))
}

// Execute runs the program at each position of its vectors, one for each parameter, all of one length and pairwise
// disjoint; those whose parameters the program changes are overwritten. Either all are device memory, or all the host's.
//
// Errors: ErrInvalidArgument for another number of vectors than parameters, lengths that do not match, or overlap;
// otherwise as VectorAdd.
func (f Field) Execute(program *Program, vectors []Slice, o VectorOptions) error {
	const op = "execute_program"
	if program == nil || program.owner == nil {
		return fail(ErrInvalidPointer, op, "program is nil")
	}
	if !program.owner.acquire() {
		return fail(ErrInvalidPointer, op, "program: closed already")
	}
	defer program.owner.release()
	args := make([]arg, len(vectors))
	for i, vector := range vectors {
		args[i] = arg{"vector", vector}
	}
	c := begin(op, o.Launch, args...)
	bytes, batch, n := c.field(f).Bytes, parts(o.Batch), 0
	var pinner runtime.Pinner // the addresses lie in memory themselves
	defer pinner.Unpin()
	addresses := make([]*C.uint8_t, len(vectors))
	options := C.go_vector_options{
		stream: c.stream(), is_async: C.bool(o.Async),
		batch_size: c.integer("batch_size", o.Batch), columns_batch: C.bool(o.Columns), is_a_on_device: true,
	}
	for i := range vectors {
		if i == 0 {
			n = c.count(0, bytes, batch)
		}
		c.need(i, bytes, n, batch)
		options.is_a_on_device = options.is_a_on_device && c.onDevice(i)
		if addresses[i] = c.ptr(i); c.args[i].owner == nil && addresses[i] != nil {
			pinner.Pin(addresses[i])
		}
	}
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_execute_program(c.at, C.int32_t(f), unsafe.SliceData(addresses), C.uint64_t(len(addresses)),
		C.uintptr_t(program.owner.handle), C.uint64_t(n), options))
}

// Close frees the program, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (p *Program) Close() error {
	if p == nil || p.owner == nil {
		return nil
	}
	return p.owner.close()
}
