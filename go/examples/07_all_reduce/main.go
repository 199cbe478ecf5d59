// Command 07_all_reduce sums gradients over all ranks. Under torchrun, or whatever sets RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT, each process is a rank; by itself it has two ranks, a goroutine each.
//
// A listing that is handed around does this with one `ncclComm_t comm` and `ncclCommInitAll(&comm, 2, devices)`: that function
// writes two communicators, the second over whatever lies behind the variable; and then one device alone calls
// `ncclAllReduce`, which waits for the other for ever. Here each rank has a communicator of its own, and each calls the sum.
package main

import (
	"fmt"
	"log"
	"os"

	"icicle"
)

func main() {
	if os.Getenv("RANK") != "" {
		comm, err := icicle.CommFromEnv(icicle.Device{}, icicle.CommConfig{})
		check(err)
		check(train(comm))
		return
	}
	comms, err := icicle.CommInitAll([]icicle.Device{icicle.CPU(0), icicle.CPU(0)}, icicle.CommConfig{})
	check(err)
	done := make(chan error)
	for _, comm := range comms {
		go func() { done <- train(comm) }()
	}
	for range comms {
		check(<-done)
	}
}

func train(comm *icicle.Communicator) error {
	gradients := make(icicle.HostSlice[float32], 1<<20)
	for i := range gradients {
		gradients[i] = float32(comm.Rank() + 1)
	}
	float32s := icicle.CommNumbers(icicle.DTypeFloat32)
	if err := comm.AllReduce(float32s, icicle.ReduceSum, gradients, gradients, icicle.Launch{}); err != nil {
		return err
	}
	total := float32(comm.Size() * (comm.Size() + 1) / 2)
	for i, gradient := range gradients {
		if gradient != total {
			return fmt.Errorf("gradient %d is %v, must be %v", i, gradient, total)
		}
	}
	fmt.Printf("rank %d of %d on %v: every gradient is %v\n", comm.Rank(), comm.Size(), comm.Device(), total)
	return comm.Finalize()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
