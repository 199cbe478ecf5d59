// A client of ICICLE in Go, as its wrappers are: cgo declarations of its own, opaque handles in Go variables, a locked
// thread for each device. Collects garbage and grows stacks while it holds handles: Go's runtime looks at every pointer.
package main

/*
#cgo LDFLAGS: -licicle_device -licicle_field_bn254 -licicle_curve_bn254
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { char type[64]; int id; } Device;
typedef struct { uint32_t limbs[8]; } scalar;
typedef struct { scalar x, y; } affine;
typedef struct { scalar x, y, z; } projective;
typedef struct {
	void *stream;
	bool is_a_on_device, is_b_on_device, is_result_on_device, is_async;
	int batch_size;
	bool columns_batch;
	void *ext;
} VecOpsConfig;
typedef struct {
	void *stream;
	int precompute_factor, c, bitsize, batch_size;
	bool are_points_shared_in_batch, are_scalars_on_device, are_scalars_montgomery_form, are_points_on_device,
		are_points_montgomery_form, are_results_on_device, is_async;
	void *ext;
} MSMConfig;

int icicle_load_backend_from_env_or_default(void);
int icicle_is_device_available(const Device *device);
int icicle_set_device(const Device *device);
int icicle_create_stream(void **stream);
int icicle_stream_synchronize(void *stream);
int icicle_destroy_stream(void *stream);
void *create_config_extension(void);
void *clone_config_extension(const void *ext);
void config_extension_set_int(void *ext, const char *key, int value);
int config_extension_get_int(const void *ext, const char *key);
void destroy_config_extension(void *ext);
void bn254_generate_random(scalar *out, int n);
void bn254_mul(const scalar *a, const scalar *b, scalar *out);
int bn254_execute_program(void **data, uint64_t n, void *program, uint64_t size, const VecOpsConfig *config);
void *bn254_create_predefined_program(int which);
void *bn254_create_input_symbol(int index);
int bn254_multiply_symbols(void *a, void *b, void **out);
int bn254_generate_program(void **parameters, int n, void **program);
int delete_program(void *program);
void bn254_generate_affine_points(affine *points, int n);
int bn254_msm(const scalar *scalars, const affine *bases, int n, const MSMConfig *config, projective *results);
bool bn254_projective_eq(const projective *a, const projective *b);
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

func ok(code C.int) {
	if code != 0 {
		_, file, line, _ := runtime.Caller(1)
		fmt.Fprintf(os.Stderr, "%s:%d: code %d\n", file, line, code)
		os.Exit(1)
	}
}

func must(condition bool, what string) {
	if !condition {
		fmt.Fprintln(os.Stderr, what)
		os.Exit(1)
	}
}

func named(name string) C.Device {
	var device C.Device
	for i, c := range []byte(name) {
		device._type[i] = C.char(c)
	}
	return device
}

// deep makes the goroutine's stack grow, which copies and so checks every pointer on it.
func deep(n int, handles ...unsafe.Pointer) int {
	var room [1024]byte
	if n == 0 {
		runtime.GC()
		return len(handles)
	}
	room[n%len(room)] = 1
	return deep(n-1, handles...) + int(room[(n+1)%len(room)])
}

func handles() {
	ext := C.create_config_extension()
	key := []byte("n_threads\x00")
	C.config_extension_set_int(ext, (*C.char)(unsafe.Pointer(&key[0])), 3)
	clone := C.clone_config_extension(ext)
	program := C.bn254_create_predefined_program(0)
	var product, generated unsafe.Pointer
	symbols := []unsafe.Pointer{C.bn254_create_input_symbol(0), C.bn254_create_input_symbol(1), nil}
	ok(C.bn254_multiply_symbols(symbols[0], symbols[1], &product))
	symbols[2] = product
	deep(200, ext, clone, program, product, symbols[0])
	ok(C.bn254_generate_program(&symbols[0], 3, &generated))
	deep(200, generated)
	must(C.config_extension_get_int(clone, (*C.char)(unsafe.Pointer(&key[0]))) == 3, "the clone's option")

	const n = 4
	var data [3][n]C.scalar
	C.bn254_generate_random(&data[0][0], n)
	C.bn254_generate_random(&data[1][0], n)
	config := C.VecOpsConfig{batch_size: 1, ext: ext}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	var vectors [3]unsafe.Pointer
	for i := range data {
		pinner.Pin(&data[i][0])
		vectors[i] = unsafe.Pointer(&data[i][0])
	}
	ok(C.bn254_execute_program(&vectors[0], 3, generated, n, &config))
	for i := range data[2] {
		var expected C.scalar
		C.bn254_mul(&data[0][i], &data[1][i], &expected)
		must(expected == data[2][i], "the program's product")
	}
	C.destroy_config_extension(clone)
	C.destroy_config_extension(ext)
	ok(C.delete_program(generated))
	ok(C.delete_program(program))
}

// msm as gnark's prover calls it: c = 16 at every size, on a locked thread, with a stream of the device.
func msm(device C.Device, scalars []C.scalar, points []C.affine) C.projective {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ok(C.icicle_set_device(&device))
	var stream unsafe.Pointer
	ok(C.icicle_create_stream(&stream))
	deep(50, stream)
	config := C.MSMConfig{
		stream: stream, precompute_factor: 1, c: 16, batch_size: 1, are_points_shared_in_batch: true, is_async: true,
	}
	var pinner runtime.Pinner
	var result C.projective
	pinner.Pin(&scalars[0])
	pinner.Pin(&points[0])
	pinner.Pin(&result)
	defer pinner.Unpin()
	ok(C.bn254_msm(&scalars[0], &points[0], C.int(len(scalars)), &config, &result))
	ok(C.icicle_stream_synchronize(stream))
	ok(C.icicle_destroy_stream(stream))
	return result
}

func main() {
	ok(C.icicle_load_backend_from_env_or_default())
	main := named("CUDA")
	name := "CUDA"
	if C.icicle_is_device_available(&main) != 0 {
		main, name = named("CPU"), "CPU"
	}
	ok(C.icicle_set_device(&main))
	handles()

	const n = 1000
	scalars, points := make([]C.scalar, n), make([]C.affine, n)
	C.bn254_generate_random(&scalars[0], n)
	C.bn254_generate_affine_points(&points[0], n)
	var wait sync.WaitGroup
	results := make([]C.projective, 8)
	for i := range results {
		wait.Add(1)
		go func() {
			defer wait.Done()
			device := main
			if i%2 == 1 {
				device = named("CPU")
			}
			results[i] = msm(device, scalars, points)
		}()
	}
	wait.Wait()
	for i := range results {
		must(bool(C.bn254_projective_eq(&results[0], &results[i])), "results differ")
	}
	fmt.Println(name)
}
