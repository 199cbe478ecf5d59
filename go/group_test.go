package icicle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var groupShares = [][]float64{{1}, {1, 3}, {5, 2, 1}, {1, 0, 2, 3}}

// inGroups runs a test over groups of 1 to 4 virtual devices of unequal shares.
func inGroups(t *testing.T, run func(t *testing.T, g *Group)) {
	for _, shares := range groupShares {
		t.Run(fmt.Sprint(len(shares)), func(t *testing.T) {
			g := must(NewGroup(cpus(len(shares)), shares))
			defer func() { ok(t, g.Close()) }()
			run(t, g)
		})
	}
}

func cpus(n int) []Device {
	devices := make([]Device, n)
	for i := range devices {
		devices[i] = CPU(i)
	}
	return devices
}

func TestGroupsSayWhatTheyAre(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		if !slices.Equal(g.Devices(), cpus(len(g.Shares()))) {
			t.Fatalf("devices %v", g.Devices())
		}
	})
	kind, speed, err := CPU(0).LinkTo(CPU(1))
	ok(t, err)
	if kind != SameMemory || speed <= 0 {
		t.Fatalf("link %v of %v bytes a second", kind, speed)
	}
	_, _, err = CPU(0).LinkTo(CPU(63))
	fails(t, err, ErrInvalidDevice, "cpu:63")
	all := must(NewGroup(nil, nil))
	if len(all.Devices()) == 0 {
		t.Fatal("a group of all devices has none")
	}
	ok(t, all.Close())
	ok(t, all.Close())
	fails(t, all.ReleaseDomain(Field(0)), ErrInvalidPointer, "closed already")
	_, err = Map(all, []int{1}, MapOptions{}, func(JobPlace, int) (int, error) { return 0, nil })
	fails(t, err, ErrInvalidPointer, "closed already")
}

func TestGroupsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		devices []Device
		shares  []float64
		code    Code
		text    string
	}{
		{cpus(2), []float64{1}, ErrInvalidArgument, "1 shares: must be one for each of 2 devices"},
		{cpus(2), []float64{0, 0}, ErrInvalidArgument, "shares: must not all be zero"},
		{cpus(2), []float64{1, -1}, ErrInvalidArgument, "share 1 -1: must be finite and not negative"},
		{[]Device{CPU(1), CPU(1)}, nil, ErrInvalidArgument, "cpu:1 is named twice"},
		{[]Device{CPU(63)}, nil, ErrInvalidDevice, "cpu:63"},
		{[]Device{{"TPU", 0}}, nil, ErrInvalidDevice, "TPU"},
	} {
		_, err := NewGroup(c.devices, c.shares)
		fails(t, err, c.code, c.text)
	}
}

func TestJobsRunOnTheirDeviceAndAnswerInOrder(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		jobs := make([]int, 40)
		for i := range jobs {
			jobs[i] = i
		}
		states := make([]int, len(g.Devices()))
		answers, err := Map(g, jobs, MapOptions{Streams: 2}, func(at JobPlace, i int) (int, error) {
			states[at.Position]++
			if at.Device != g.Devices()[at.Position] || must(probeDevice()) != at.Device || at.Stream == nil {
				return 0, fmt.Errorf("at %v", at)
			}
			a, out := words{1, 2, 3}, make(words, 3)
			field := must(FieldByName("babybear"))
			err := field.VectorAdd(a, a, out, VectorOptions{Launch: Launch{Stream: at.Stream, Async: true}})
			return i * i, err
		})
		ok(t, err)
		for i, answer := range answers {
			if answer != i*i {
				t.Fatalf("job %d: %d", i, answer)
			}
		}
		sum := 0
		for _, count := range states {
			sum += count
		}
		if sum != len(jobs) {
			t.Fatalf("%d jobs ran", sum)
		}
		answers, err = Map(g, nil, MapOptions{}, func(JobPlace, int) (int, error) { return 1, nil })
		if err != nil || len(answers) != 0 {
			t.Fatalf("no jobs: %v, %v", answers, err)
		}
	})
}

func TestFailuresAreThoseOfTheirJob(t *testing.T) {
	g := must(NewGroup(cpus(2), nil))
	mine := errors.New("three")
	answers, err := Map(g, []int{0, 1, 2, 3, 4, 5}, MapOptions{}, func(_ JobPlace, i int) (int, error) {
		switch i {
		case 3:
			return 7, mine
		case 4:
			panic("at four")
		case 5:
			_, err := NewDeviceSlice[uint32](CPU(0), -1)
			return 0, err
		}
		return i, nil
	})
	if !slices.Equal(answers, []int{0, 1, 2, 7, 0, 0}) {
		t.Fatalf("answers %v", answers)
	}
	for _, text := range []string{"job 3 on cpu:", "three", "job 4 on cpu:", "panic: at four", "job 5 on cpu:"} {
		if err == nil || !errors.Is(err, mine) || !strings.Contains(err.Error(), text) {
			t.Fatalf("%v lacks %q", err, text)
		}
	}
	fails(t, err, ErrInvalidArgument, "n -1")
	_, err = Map[int, int](g, nil, MapOptions{}, nil)
	fails(t, err, ErrInvalidPointer, "f is nil")
	_, err = Map(g, []int{1}, MapOptions{Streams: -1}, func(JobPlace, int) (int, error) { return 0, nil })
	fails(t, err, ErrInvalidArgument, "streams -1")
	var none *Group
	_, err = Map(none, []int{1}, MapOptions{}, func(JobPlace, int) (int, error) { return 0, nil })
	fails(t, err, ErrInvalidPointer, "group is nil")
	ok(t, g.Close())
}

func TestProgressCountsAndContextsCancel(t *testing.T) {
	g := must(NewGroup(cpus(2), nil))
	jobs := make([]int, 60)
	sleep := func(JobPlace, int) (int, error) { time.Sleep(time.Millisecond); return 1, nil }
	var counts []int
	_, err := Map(g, jobs, MapOptions{Progress: func(done, total int) bool {
		counts = append(counts, done, total)
		return true
	}}, sleep)
	ok(t, err)
	for i := range jobs {
		if counts[2*i] != i+1 || counts[2*i+1] != len(jobs) {
			t.Fatalf("counts %v", counts)
		}
	}
	answers, err := Map(g, jobs, MapOptions{Progress: func(done, _ int) bool { return done < 10 }}, sleep)
	done := 0
	for _, answer := range answers {
		done += answer
	}
	fails(t, err, ErrCancelled, ": not started")
	if done < 10 || done > 12 {
		t.Fatalf("%d jobs, %v", done, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var once sync.Once
	_, err = Map(g, jobs, MapOptions{Context: ctx}, func(at JobPlace, i int) (int, error) {
		once.Do(cancel)
		return sleep(at, i)
	})
	if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled context: %v", err)
	}
	ok(t, g.Close())
}

func TestOneSumOverAGroup(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		for _, name := range []string{"bn254", "bn254_g2", "bls12_381"} {
			curve := must(CurveByName(name))
			info := must(curve.Info())
			const n = 70
			points, scalars := room(n*info.AffineBytes), room(n*must(info.Scalar.Info()).Bytes)
			ok(t, curve.GenerateAffinePoints(points))
			ok(t, info.Scalar.GenerateRandom(scalars))
			expected, got := room(info.ProjectiveBytes), room(info.ProjectiveBytes)
			ok(t, curve.MSM(scalars, points, expected, MSMOptions{}))
			ok(t, g.MSM(curve, scalars, points, got, MSMOptions{}))
			agree(t, name, got, expected)
			for layout := Blocks; layout <= Replicated; layout++ {
				s, p := sharding(t, g, scalars, n, layout), sharding(t, g, points, n, layout)
				clear(got)
				ok(t, g.MSMSharded(curve, s, p, got, MSMOptions{}))
				agree(t, name, got, expected)
				ok(t, errors.Join(s.Close(), p.Close()))
			}
			fails(t, g.MSM(curve, scalars, points, got[1:], MSMOptions{}), ErrInvalidArgument, "results holds")
			fails(t, g.MSM(curve, scalars, points, got, MSMOptions{Launch: Launch{Async: true}}), ErrInvalidArgument, "stream or async")
		}
	})
}

func agree(t *testing.T, what string, got, expected words) {
	t.Helper()
	if !slices.Equal(got, expected) {
		t.Fatalf("%s: got %v, want %v", what, got, expected)
	}
}

// sharding is n elements over a group.
func sharding(t *testing.T, g *Group, memory words, n int, layout Layout) *Sharded {
	t.Helper()
	v := must(g.NewSharded(n, 4*len(memory)/n, layout))
	ok(t, g.Scatter(memory, v))
	return v
}

// gathered is a sharded vector's elements.
func gathered(t *testing.T, g *Group, v *Sharded) words {
	t.Helper()
	n, bytes, _, err := v.Info()
	ok(t, err)
	out := room(n * bytes)
	ok(t, g.Gather(v, out))
	return out
}

func TestOneTransformOverAGroup(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		for _, name := range []string{"bn254", "babybear", "babybear_extension"} {
			field := must(FieldByName(name))
			info := must(field.Info())
			const n = 1 << 12
			domain := room(must(info.Scalar.Info()).Bytes)
			ok(t, info.Scalar.RootOfUnity(n, domain))
			ok(t, g.InitDomain(info.Scalar, domain))
			ok(t, CPU(0).InitDomain(info.Scalar, domain))
			coset := room(must(info.Scalar.Info()).Bytes)
			coset[0] = 7
			data := room(n * info.Bytes)
			ok(t, field.GenerateRandom(data))
			for ordering := NaturalNatural; ordering <= MixedNatural; ordering++ {
				for _, dir := range []Direction{Forward, Inverse} {
					o := NTTOptions{Ordering: ordering, CosetGen: coset}
					expected, got := room(n*info.Bytes), room(n*info.Bytes)
					ok(t, field.NTT(data, dir, expected, o))
					ok(t, g.NTT(field, data, dir, got, o))
					agree(t, name, got, expected)
					in := sharding(t, g, data, n, Blocks)
					out := must(g.NewSharded(n, info.Bytes, Blocks))
					ok(t, g.NTTSharded(field, in, dir, out, o))
					agree(t, name, gathered(t, g, out), expected)
					ok(t, errors.Join(in.Close(), out.Close()))
				}
			}
			ok(t, g.NTT(field, words{}, Forward, words{}, NTTOptions{}))
			// Three transforms: blocks that end within one.
			const batch = 3 * 64
			several, expected := room(batch*info.Bytes), room(batch*info.Bytes)
			copy(several, data)
			ok(t, field.NTT(several, Inverse, expected, NTTOptions{Batch: 3}))
			in := sharding(t, g, several, batch, Blocks)
			out := must(g.NewSharded(batch, info.Bytes, Blocks))
			ok(t, g.NTTSharded(field, in, Inverse, out, NTTOptions{Batch: 3}))
			agree(t, name, gathered(t, g, out), expected)
			fails(t, g.NTTSharded(field, in, Forward, out, NTTOptions{Batch: 5}), ErrInvalidArgument, "must divide the vector's 192 elements")
			fails(t, g.NTTSharded(field, in, Forward, out, NTTOptions{Batch: 3, Columns: true}), ErrInvalidArgument, "columns_batch")
			ok(t, errors.Join(in.Close(), out.Close()))
			ok(t, g.ReleaseDomain(info.Scalar))
			fails(t, g.NTT(field, data, 7, data, NTTOptions{}), ErrInvalidArgument, "dir 7")
		}
	})
}

func TestShardedVectorsComputeAsMemoryDoes(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		field := must(FieldByName("bn254"))
		info := must(field.Info())
		const n = 100
		a, b := room(n*info.Bytes), room(n*info.Bytes)
		ok(t, errors.Join(field.GenerateRandom(a), field.GenerateRandom(b)))
		expected := room(n * info.Bytes)
		for layout := Blocks; layout <= Replicated; layout++ {
			x, y := sharding(t, g, a, n, layout), sharding(t, g, b, n, layout)
			out := must(g.NewSharded(n, info.Bytes, layout))
			for op, one := range map[Operation]func(a, b, out Slice, o VectorOptions) error{
				Add: field.VectorAdd, Sub: field.VectorSub, Mul: field.VectorMul, Div: field.VectorDiv,
			} {
				ok(t, one(a, b, expected, VectorOptions{}))
				ok(t, g.VectorBinary(field, op, x, y, out))
				agree(t, fmt.Sprint(op), gathered(t, g, out), expected)
			}
			ok(t, field.ScalarMulVec(a[:8], b, expected, VectorOptions{}))
			ok(t, g.VectorScalar(field, Mul, a[:8], y, out))
			agree(t, "scalar", gathered(t, g, out), expected)
			ok(t, field.VectorInv(a, expected, VectorOptions{}))
			ok(t, g.VectorInv(field, x, out))
			agree(t, "inverse", gathered(t, g, out), expected)
			ok(t, field.ConvertMontgomery(a, expected, true, VectorOptions{}))
			ok(t, g.ConvertMontgomery(field, x, out, true))
			agree(t, "montgomery", gathered(t, g, out), expected)
			one, whole := room(info.Bytes), room(info.Bytes)
			ok(t, errors.Join(field.VectorSum(a, whole, VectorOptions{}), g.VectorReduce(field, Add, x, one)))
			agree(t, "sum", one, whole)
			ok(t, errors.Join(field.VectorProduct(a, whole, VectorOptions{}), g.VectorReduce(field, Mul, x, one)))
			agree(t, "product", one, whole)
			fails(t, g.VectorReduce(field, Sub, x, one), ErrInvalidArgument, "must be 0 (sum) or 1 (product)")
			if layout != Cyclic {
				ok(t, errors.Join(field.PolyEval(a, b[:16], expected[:16], VectorOptions{}),
					g.PolyEval(field, x, b[:16], out16(&whole, info.Bytes))))
				agree(t, "values", whole, expected[:16])
			}
			ok(t, field.VectorAdd(a, b, expected, VectorOptions{}))
			ok(t, g.VectorAccumulate(field, x, y))
			agree(t, "accumulated", gathered(t, g, x), expected)
			moved := must(g.Reshard(x, (layout+1)%3))
			agree(t, "resharded", gathered(t, g, moved), expected)
			elements := 0
			for i := range g.Devices() {
				_, _, count, err := x.Part(i)
				ok(t, err)
				elements += count
			}
			if elements != n && (layout != Replicated || elements != n*len(g.Devices())) {
				t.Fatalf("%d elements in parts of layout %v", elements, layout)
			}
			fails(t, g.VectorBinary(field, Add, x, y, y), ErrInvalidArgument, "output: must be another vector")
			fails(t, g.VectorBinary(field, 9, x, y, out), ErrInvalidArgument, "operation 9")
			ok(t, errors.Join(x.Close(), y.Close(), out.Close(), moved.Close(), moved.Close()))
			fails(t, g.Scatter(a, x), ErrInvalidPointer, "closed already")
		}
		_, err := g.NewSharded(-1, 4, Blocks)
		fails(t, err, ErrInvalidArgument, "size -1")
		_, err = g.NewSharded(1, 4, 7)
		fails(t, err, ErrInvalidArgument, "layout 7")
	})
}

// out16 makes room for two elements in place of one.
func out16(memory *words, bytes int) words {
	*memory = room(2 * bytes)
	return *memory
}

func TestMixedProductsAndProgramsOverAGroup(t *testing.T) {
	inGroups(t, func(t *testing.T, g *Group) {
		extension := must(FieldByName("babybear_extension"))
		info := must(extension.Info())
		const n = 50
		a, b := room(n*info.Bytes), room(n*must(info.Scalar.Info()).Bytes)
		ok(t, errors.Join(extension.GenerateRandom(a), info.Scalar.GenerateRandom(b)))
		expected := room(n * info.Bytes)
		ok(t, extension.VectorMixedMul(a, b, expected, VectorOptions{}))
		x, y, out := sharding(t, g, a, n, Blocks), sharding(t, g, b, n, Blocks), must(g.NewSharded(n, info.Bytes, Blocks))
		ok(t, g.VectorMixedMul(extension, x, y, out))
		agree(t, "mixed product", gathered(t, g, out), expected)
		ok(t, errors.Join(x.Close(), y.Close(), out.Close()))

		field := must(FieldByName("bn254"))
		bytes := must(field.Info()).Bytes
		program := must(field.NewPredefinedProgram(ABMinusC))
		memory, vectors := make([]Slice, 4), make([]*Sharded, 4)
		for i := range memory {
			v := room(n * bytes)
			ok(t, field.GenerateRandom(v))
			memory[i], vectors[i] = v, sharding(t, g, v, n, Blocks)
		}
		ok(t, field.Execute(program, memory, VectorOptions{}))
		ok(t, g.Execute(field, program, vectors))
		for i := range memory {
			agree(t, "program", gathered(t, g, vectors[i]), memory[i].(words))
		}
		fails(t, g.Execute(field, program, vectors[:3]), ErrInvalidArgument, "the program has 4 parameters")
		fails(t, g.Execute(field, program, []*Sharded{vectors[0], vectors[0], vectors[1], vectors[2]}), ErrInvalidArgument, "are the same")
		for _, v := range vectors {
			ok(t, v.Close())
		}
		ok(t, program.Close())
	})
}
