// icicle for C++17: owners and exceptions over icicle.h. Header only; link libicicle.
//
// Every call that fails throws icicle::Error. Owners are move-only and free what they hold on whichever device it is.
// Operands are plain pointers: host memory, or device memory (Buffer::data), which the library recognises by address.
//
//   icicle/device.hpp   errors, devices
//   icicle/memory.hpp   streams, events, buffers, page-locked memory
//   icicle/field.hpp    registry, elements, vectors, matrices, polynomials, NTT
//   icicle/curve.hpp    points, arrays of points, MSM, NTT of points
//   icicle/program.hpp  programs: expressions over vectors in one pass
//   icicle/group.hpp    groups of devices, jobs and operations over them, sharded vectors
//   icicle/array.hpp    arrays of numbers, which are values: copies share
//   icicle/random.hpp   arrays of random numbers, by keys
//   icicle/sharded_array.hpp  arrays of numbers over the devices of a group
//   icicle/comm.hpp     collectives over ranks, in one process or in several
//   icicle/fhe.hpp      encrypted integers
#ifndef ICICLE_HPP
#define ICICLE_HPP

#include "icicle/array.hpp"
#include "icicle/comm.hpp"
#include "icicle/curve.hpp"
#include "icicle/device.hpp"
#include "icicle/fhe.hpp"
#include "icicle/field.hpp"
#include "icicle/group.hpp"
#include "icicle/memory.hpp"
#include "icicle/program.hpp"
#include "icicle/random.hpp"
#include "icicle/sharded_array.hpp"

#endif  // ICICLE_HPP
