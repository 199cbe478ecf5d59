package icicle

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	int64s   = CommNumbers(DTypeInt64)
	float64s = CommNumbers(DTypeFloat64)
)

// local are communicators of this process.
func local(t testing.TB, n int, timeout time.Duration) []*Communicator {
	t.Helper()
	devices := make([]Device, n)
	for i := range devices {
		devices[i] = CPU(i % len(must(Devices())))
	}
	comms, err := CommInitAll(devices, CommConfig{Timeout: timeout})
	ok(t, err)
	t.Cleanup(func() { closeAll(t, comms) })
	return comms
}

func closeAll(t testing.TB, comms []*Communicator) {
	for _, comm := range comms {
		ok(t, comm.Close())
	}
}

// connected are communicators over TCP.
func connected(t testing.TB, n int, timeout time.Duration) []*Communicator {
	t.Helper()
	return join(t, n, CommConfig{Timeout: timeout})
}

func join(t testing.TB, n int, config CommConfig) []*Communicator {
	t.Helper()
	id, comms := must(NewCommID("")), make([]*Communicator, n)
	for _, err := range parallel(n, func(rank int) (err error) {
		comms[rank], err = CommInitRank(id, n, rank, CPU(0), config)
		return err
	}) {
		ok(t, err)
	}
	t.Cleanup(func() { closeAll(t, comms) })
	return comms
}

// parallel runs a job as each rank, in goroutines.
func parallel(n int, job func(rank int) error) []error {
	found := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			found[rank] = job(rank)
		}()
	}
	all.Wait()
	return found
}

var transports = map[string]func(testing.TB, int, time.Duration) []*Communicator{"local": local, "TCP": connected}

// total is the sum of one number of each rank.
func total(c *Communicator, value int64) (int64, error) {
	x := HostSlice[int64]{value}
	err := c.AllReduce(int64s, ReduceSum, x, x, Launch{})
	return x[0], err
}

// everyOperation does every operation on two numbers a rank; expected values are written out.
func everyOperation(c *Communicator) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%v", value)
		}
	}()
	type numbers = HostSlice[float64]
	done := func(what string, err error, got, want numbers) {
		if err != nil || !slices.Equal(got, want) {
			panic(fmt.Sprintf("%s: %v, got %v, want %v", what, err, got, want))
		}
	}
	rank, n := c.Rank(), c.Size()
	root, r := n-1, float64(c.Rank())
	mine, sum, every := numbers{r, 10 * r}, 0.0, numbers{}
	for i := range n {
		sum += float64(i)
		every = append(every, float64(i), 10*float64(i))
	}
	nothing := make(numbers, 2)
	// What counts at the root only need not be there elsewhere.
	orNil := func(x numbers) Slice {
		if rank == root {
			return x
		}
		return nil
	}
	atRoot := func(want numbers) numbers {
		if rank == root {
			return want
		}
		return make(numbers, len(want))
	}
	for i, want := range []numbers{
		{sum, 10 * sum}, nothing, nothing, {float64(root), 10 * float64(root)}, {sum / float64(n), 10 * sum / float64(n)},
	} {
		op := []ReduceOp{ReduceSum, ReduceProd, ReduceMin, ReduceMax, ReduceAvg}[i]
		got := make(numbers, 2)
		done("all_reduce", c.AllReduce(float64s, op, mine, got, Launch{}), got, want)
		both := slices.Clone(mine)
		done("all_reduce in place", c.AllReduce(float64s, op, both, both, Launch{}), both, want)
		got = make(numbers, 2)
		done("reduce", c.Reduce(float64s, op, root, mine, orNil(got), Launch{}), got, atRoot(want))
	}
	got := make(numbers, 2)
	done("broadcast", c.Broadcast(float64s, root, orNil(mine), got, Launch{}), got, numbers{float64(root), 10 * float64(root)})
	got = make(numbers, 2*n)
	done("all_gather", c.AllGather(float64s, mine, got, Launch{}), got, every)
	got = make(numbers, 2*n)
	copy(got[2*rank:], mine)
	done("all_gather in place", c.AllGather(float64s, got[2*rank:2*rank+2], got, Launch{}), got, every)
	got = make(numbers, 2*n)
	done("gather", c.Gather(float64s, root, mine, orNil(got), Launch{}), got, atRoot(every))
	got = make(numbers, 2)
	done("scatter", c.Scatter(float64s, root, orNil(every), got, Launch{}), got, mine)
	done("reduce_scatter", c.ReduceScatter(float64s, ReduceSum, every, got, Launch{}), got, numbers{r * float64(n), 10 * r * float64(n)})
	sent, want := make(numbers, n), make(numbers, n)
	for i := range n {
		sent[i], want[i] = 100*r+float64(i), 100*float64(i)+r
	}
	got = make(numbers, n)
	done("all_to_all", c.AllToAll(float64s, sent, got, Launch{}), got, want)

	next, before := (rank+1)%n, (rank+n-1)%n
	left, right, most := make(numbers, 2), make(numbers, 2), slices.Clone(mine)
	err = CommGroup(func(calls *Calls) error {
		g := calls.Of(c)
		return errors.Join(
			g.Send(float64s, next, mine, Launch{}), g.Recv(float64s, before, left, Launch{}),
			g.Send(float64s, before, mine, Launch{}), g.Recv(float64s, next, right, Launch{}),
			g.AllReduce(float64s, ReduceMax, most, most, Launch{}), g.Barrier(Launch{}),
		)
	})
	done("ring, left", err, left, every[2*before:2*before+2])
	done("ring, right", nil, right, every[2*next:2*next+2])
	done("greatest in a group", nil, most, numbers{float64(root), 10 * float64(root)})
	return c.Barrier(Launch{})
}

func TestCommEveryOperation(t *testing.T) {
	for name, connect := range transports {
		for _, n := range []int{1, 3} {
			comms := connect(t, n, time.Minute)
			for _, err := range parallel(n, func(rank int) error {
				return errors.Join(everyOperation(comms[rank]), comms[rank].Finalize())
			}) {
				if err != nil {
					t.Fatal(name, err)
				}
			}
			fails(t, comms[0].Finalize(), ErrInvalidPointer, "communicator: closed already")
		}
	}
}

func TestCommElementsAndPoints(t *testing.T) {
	comms, field, curve := local(t, 2, time.Minute), must(FieldByName("bn254")), must(CurveByName("bn254"))
	p := must(curve.Info()).ProjectiveBytes / 4
	generator, double := make(words, p), make(words, p)
	ok(t, curve.Generator(generator))
	ok(t, curve.Add(generator, generator, double))
	sums, products := []words{make(words, p), make(words, p)}, []words{make(words, 8), make(words, 8)}
	for _, err := range parallel(2, func(rank int) error {
		three := words{3, 0, 0, 0, 0, 0, 0, 0}
		return errors.Join(
			comms[rank].AllReduce(CommPoints(curve), ReduceSum, generator, sums[rank], Launch{}),
			comms[rank].AllReduce(CommElements(field), ReduceProd, three, products[rank], Launch{}),
		)
	}) {
		ok(t, err)
	}
	for rank := range 2 {
		if !must(curve.Eq(sums[rank], double)) || products[rank][0] != 9 {
			t.Fatal(rank, sums[rank], products[rank])
		}
	}
	x := make(words, p)
	fails(t, comms[0].AllReduce(CommPoints(curve), ReduceMax, x, x, Launch{}), ErrUnsupported, "reduction max of points of bn254")
}

func TestCommOneGoroutineCallsForAllRanks(t *testing.T) {
	comms := local(t, 2, time.Minute)
	x := []HostSlice[int64]{{1, 2}, {10, 20}}
	all := func(calls *Calls) error {
		return errors.Join(
			calls.Of(comms[0]).AllReduce(int64s, ReduceSum, x[0], x[0], Launch{}),
			calls.Of(comms[1]).AllReduce(int64s, ReduceSum, x[1], x[1], Launch{}),
		)
	}
	ok(t, CommGroup(all))
	if !slices.Equal(x[0], []int64{11, 22}) || !slices.Equal(x[1], x[0]) {
		t.Fatal(x)
	}
	stopped := errors.New("stopped")
	if err := CommGroup(func(calls *Calls) error { return errors.Join(all(calls), stopped) }); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	ok(t, CommGroup(func(*Calls) error { return nil }))
	fails(t, CommGroup(nil), ErrInvalidArgument, "f is nil")
	ok(t, CommGroup(all))
	if x[0][0] != 22 {
		t.Fatal("a group that was given up sent something: ", x)
	}
}

func TestCommOnDeviceMemoryAndStreams(t *testing.T) {
	comms := local(t, 2, time.Minute)
	for _, err := range parallel(2, func(rank int) error {
		device := comms[rank].Device()
		stream, err := device.NewStream()
		if err != nil {
			return err
		}
		defer stream.Close()
		x := must(NewDeviceSlice[int64](device, 3))
		defer x.Close()
		if err := Copy(x, HostSlice[int64]{1, 2, int64(rank)}, Launch{}); err != nil {
			return err
		}
		if err := comms[rank].AllReduce(int64s, ReduceSum, x, x, Launch{Stream: stream, Async: true}); err != nil {
			return err
		}
		got := make(HostSlice[int64], 3)
		if err := errors.Join(stream.Synchronize(), Copy(got, x, Launch{})); err != nil || !slices.Equal(got, []int64{2, 4, 1}) {
			return fmt.Errorf("%v %v", err, got)
		}
		host := HostSlice[int64]{7}
		err = CommGroup(func(calls *Calls) error {
			return calls.Of(comms[rank]).AllReduce(int64s, ReduceSum, host, host, Launch{Stream: stream})
		})
		if err == nil && host[0] != 14 {
			err = fmt.Errorf("got %v", host)
		}
		return err
	}) {
		ok(t, err)
	}
}

func TestCommRefusals(t *testing.T) {
	comms := local(t, 2, time.Minute)
	c, x, y := comms[0], HostSlice[int64]{1, 2}, HostSlice[int64]{1, 2, 3}
	fails(t, c.AllReduce(int64s, ReduceSum, x, y, Launch{}), ErrInvalidArgument, "all_reduce: send holds 16 bytes: need 3 elements")
	fails(t, c.AllReduce(int64s, 9, x, x, Launch{}), ErrInvalidArgument, "reduce 9: must be an ICICLE_REDUCE_ constant")
	fails(t, c.AllReduce(CommNumbers(77), ReduceSum, x, x, Launch{}), ErrInvalidArgument, "dtype 77")
	fails(t, c.AllReduce(CommElements(1), ReduceSum, x, x, Launch{}), ErrInvalidArgument, "field 1")
	fails(t, c.AllReduce(int64s, ReduceSum, nil, x, Launch{}), ErrInvalidPointer, "send is nil")
	fails(t, c.AllReduce(int64s, ReduceSum, x, x, Launch{Async: true}), ErrInvalidArgument, "async")
	fails(t, c.AllToAll(int64s, y, y, Launch{}), ErrInvalidArgument, "must be a multiple of 2")
	fails(t, c.AllToAll(int64s, x, x, Launch{}), ErrInvalidArgument, "overlaps")
	fails(t, c.ReduceScatter(int64s, ReduceSum, y, x, Launch{}), ErrInvalidArgument, "send holds 24 bytes: need 4 elements")
	fails(t, c.AllGather(int64s, x, y, Launch{}), ErrInvalidArgument, "recv holds 24 bytes: need 4 elements")
	fails(t, c.Gather(int64s, 0, x, y, Launch{}), ErrInvalidArgument, "recv holds 24 bytes: need 4 elements")
	fails(t, c.Broadcast(int64s, 2, x, x, Launch{}), ErrInvalidArgument, "root 2: must be a rank, below 2")
	fails(t, c.Broadcast(int64s, -1, x, x, Launch{}), ErrInvalidArgument, "peer -1")
	fails(t, c.Send(int64s, 1<<40, x, Launch{}), ErrInvalidArgument, "rank 1099511627776")
	fails(t, (*Communicator)(nil).AllGather(int64s, x, x, Launch{}), ErrInvalidPointer, "communicator is nil")
	fails(t, CommGroup(func(calls *Calls) error { return calls.Of(nil).Barrier(Launch{}) }), ErrInvalidPointer, "communicator is nil")
	_, err := CommInitAll(nil, CommConfig{})
	fails(t, err, ErrInvalidArgument, "count 0")
	_, err = CommInitAll([]Device{CPU(0)}, CommConfig{Timeout: -time.Second})
	fails(t, err, ErrInvalidArgument, "timeout_seconds -1")
	_, err = CommInitRank(CommID{}, 2, 1, CPU(0), CommConfig{})
	fails(t, err, ErrInvalidArgument, "must be those of an id")
	_, err = CommInitRank(CommID{}, 1<<40, 0, CPU(0), CommConfig{})
	fails(t, err, ErrInvalidArgument, "size 1099511627776")
	_, err = NewCommID("nowhere")
	fails(t, err, ErrInvalidArgument, `address "nowhere"`)
	id := must(NewCommID("127.0.0.1:0"))
	ok(t, id.Release())
	fails(t, id.Release(), ErrInvalidArgument, "released already")
	_, err = c.Split(1<<40, 0)
	fails(t, err, ErrInvalidArgument, "must be of 32 bits")
	// All were refused before anything was sent.
	for _, err := range parallel(2, func(rank int) error { return everyOperation(comms[rank]) }) {
		ok(t, err)
	}
}

func TestCommSplit(t *testing.T) {
	for name, connect := range transports {
		comms := connect(t, 3, time.Minute)
		want := []string{"1 of 2, sum 5", "none", "0 of 2, sum 5"}
		for _, err := range parallel(3, func(rank int) error {
			color := []int{7, -3, 7}[rank]
			part, err := comms[rank].Split(color, -rank)
			got := "none"
			if err == nil && part != nil {
				var sum int64
				sum, err = total(part, 1<<rank)
				got = fmt.Sprintf("%d of %d, sum %d", part.Rank(), part.Size(), sum)
				err = errors.Join(err, part.Finalize())
			}
			if err != nil || got != want[rank] {
				return fmt.Errorf("%s, rank %d: %q, %w", name, rank, got, err)
			}
			return nil
		}) {
			ok(t, err)
		}
	}
}

// rankProcess starts this test binary to be a rank: TestCommChild.
func rankProcess(job string, rank int, more ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], "-test.run=^TestCommChild$", "-test.v")
	command.Env = append(os.Environ(), append(more, "ICICLE_GO_COMM="+job, "RANK="+strconv.Itoa(rank), "WORLD_SIZE=2")...)
	command.Stderr = os.Stderr
	return command
}

func TestCommChild(t *testing.T) {
	job := os.Getenv("ICICLE_GO_COMM")
	if job == "" {
		return
	}
	var comm *Communicator
	var err error
	if job == "environment" {
		comm, err = CommFromEnv(Device{}, CommConfig{Timeout: time.Minute})
	} else {
		id := CommID(must(hex.DecodeString(os.Getenv("ID"))))
		comm, err = CommInitRank(id, 2, must(strconv.Atoi(os.Getenv("RANK"))), Device{}, CommConfig{Timeout: time.Minute})
	}
	ok(t, err)
	ok(t, everyOperation(comm))
	if job == "hang" {
		fmt.Println("ready")
		time.Sleep(time.Minute)
	}
	ok(t, comm.Finalize())
}

func TestCommProcesses(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	ok(t, listener.Close())
	for _, err := range parallel(2, func(rank int) error {
		return rankProcess("environment", rank, "MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port).Run()
	}) {
		ok(t, err)
	}
	id := must(NewCommID(""))
	other := rankProcess("id", 1, "ID="+hex.EncodeToString(id[:]))
	ok(t, other.Start())
	comm := must(CommInitRank(id, 2, 0, Device{}, CommConfig{Timeout: time.Minute}))
	ok(t, errors.Join(everyOperation(comm), comm.Finalize(), other.Wait()))
}

func TestCommKilledProcessIsAnErrorOfTheOthers(t *testing.T) {
	id := must(NewCommID(""))
	other := rankProcess("hang", 1, "ID="+hex.EncodeToString(id[:]))
	output := must(other.StdoutPipe())
	ok(t, other.Start())
	comm := must(CommInitRank(id, 2, 0, Device{}, CommConfig{Timeout: time.Minute}))
	ok(t, everyOperation(comm))
	lines := bufio.NewScanner(output)
	for lines.Scan() && !strings.Contains(lines.Text(), "ready") {
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		_ = other.Process.Kill()
	}()
	_, err := total(comm, 1)
	fails(t, err, ErrRemote, "rank 1")
	_ = other.Wait()
	ok(t, comm.Close())
}
