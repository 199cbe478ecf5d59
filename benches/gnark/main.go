// Transforms, vector products and multi-scalar multiplications of gnark-crypto, the peer of `cargo bench -p icicle --bench
// ntt`, `--bench vector` and of `msm-bench`.
//
//	GOAMD64=v4 go run . [-what ntt,vector,msm] [-runs 9] [-sizes 16,18,20,22]
//
// Prints milliseconds, median and least, for one and for two threads. Elements are in Montgomery form, as gnark-crypto
// keeps them; transforms go from natural order.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	bn "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/field/babybear"
	"github.com/consensys/gnark-crypto/field/goldilocks"
)

// measure times work, after one run that warms up, and prints a row.
func measure(what string, logN, threads, runs int, work func()) {
	times := make([]float64, 0, runs)
	for i := 0; i <= runs; i++ {
		start := time.Now()
		work()
		if i > 0 {
			times = append(times, float64(time.Since(start).Nanoseconds())/1e6)
		}
	}
	sort.Float64s(times)
	fmt.Printf("%-24s 2^%d %d threads  %9.3f ms (least %9.3f)\n", what, logN, threads, times[runs/2], times[0])
}

// vectors times sums, products and inverses; the fields have the same methods but no common interface.
func vectors[E any](name string, logN, threads, runs int, random func(*E), add, mul func(out, a, b []E),
	invert func(a []E) []E) {
	a, b, out := make([]E, 1<<logN), make([]E, 1<<logN), make([]E, 1<<logN)
	for i := range a {
		random(&a[i])
		random(&b[i])
	}
	share := len(a) / threads
	split := func(work func(out, a, b []E)) func() {
		return func() {
			done := make(chan struct{}, threads)
			for t := range threads {
				go func() {
					from, to := t*share, (t+1)*share
					work(out[from:to], a[from:to], b[from:to])
					done <- struct{}{}
				}()
			}
			for range threads {
				<-done
			}
		}
	}
	measure(name+" add", logN, threads, runs, split(add))
	measure(name+" mul", logN, threads, runs, split(mul))
	measure(name+" inv", logN, threads, runs, split(func(_, a, _ []E) { invert(a) }))
}

func main() {
	runs := flag.Int("runs", 9, "runs of each, of which the median counts")
	list := flag.String("sizes", "16,18,20,22", "logs of the transforms' sizes")
	what := flag.String("what", "ntt,vector,msm", "what is timed")
	flag.Parse()
	wanted := func(name string) bool { return strings.Contains(","+*what+",", ","+name+",") }
	var sizes []int
	for _, text := range strings.Split(*list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 28 {
			fmt.Fprintf(os.Stderr, "sizes: %q is not a number from 1 to 28\n", text)
			os.Exit(2)
		}
		sizes = append(sizes, n)
	}
	for _, threads := range []int{1, 2} {
		runtime.GOMAXPROCS(threads)
		for _, logN := range sizes {
			if wanted("msm") {
				multiplications(logN, threads, *runs)
			}
			if wanted("ntt") {
				transforms(logN, threads, *runs)
			}
		}
		if !wanted("vector") {
			continue
		}
		const logN = 20
		vectors("bn254", logN, threads, *runs, func(x *bn.Element) { x.MustSetRandom() },
			func(out, a, b []bn.Element) { (*bn.Vector)(&out).Add(a, b) },
			func(out, a, b []bn.Element) { (*bn.Vector)(&out).Mul(a, b) }, bn.BatchInvert)
		vectors("bls12_381", logN, threads, *runs, func(x *bls.Element) { x.MustSetRandom() },
			func(out, a, b []bls.Element) { (*bls.Vector)(&out).Add(a, b) },
			func(out, a, b []bls.Element) { (*bls.Vector)(&out).Mul(a, b) }, bls.BatchInvert)
		vectors("babybear", logN, threads, *runs, func(x *babybear.Element) { x.MustSetRandom() },
			func(out, a, b []babybear.Element) { (*babybear.Vector)(&out).Add(a, b) },
			func(out, a, b []babybear.Element) { (*babybear.Vector)(&out).Mul(a, b) }, babybear.BatchInvert)
		vectors("goldilocks", logN, threads, *runs, func(x *goldilocks.Element) { x.MustSetRandom() },
			func(out, a, b []goldilocks.Element) { (*goldilocks.Vector)(&out).Add(a, b) },
			func(out, a, b []goldilocks.Element) { (*goldilocks.Vector)(&out).Mul(a, b) }, goldilocks.BatchInvert)
	}
}
