#pragma once
// The kernels of a field, under the names of `src/field.rs`. Arguments: name of the field in `fields_gen.cuh`,
// which is the prefix of the kernels' names.
#include "../program/machine.cuh"
#include "division.cuh"
#include "inverse.cuh"
#include "matrix.cuh"
#include "polynomial.cuh"

#define IC_KERNEL(name, op) extern "C" __global__ void __launch_bounds__(icicle::Access<icicle::fields::name>::THREADS) name##_##op
#define IC_F icicle::fields

#define IC_VECTOR_KERNELS(name)                                                                                        \
  IC_KERNEL(name, add)(const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u64 n)                    \
  {                                                                                                                    \
    icicle::map_binary<IC_F::name, icicle::Add>(a, b, out, n);                                                         \
  }                                                                                                                    \
  IC_KERNEL(name, sub)(const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u64 n)                    \
  {                                                                                                                    \
    icicle::map_binary<IC_F::name, icicle::Sub>(a, b, out, n);                                                         \
  }                                                                                                                    \
  IC_KERNEL(name, mul)(const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u64 n)                    \
  {                                                                                                                    \
    icicle::map_binary<IC_F::name, icicle::Mul>(a, b, out, n);                                                         \
  }                                                                                                                    \
  IC_KERNEL(name, encode)(const icicle::u32* a, icicle::u32* out, icicle::u64 n)                                       \
  {                                                                                                                    \
    icicle::map_convert<IC_F::name, true>(a, out, n);                                                                  \
  }                                                                                                                    \
  IC_KERNEL(name, decode)(const icicle::u32* a, icicle::u32* out, icicle::u64 n)                                       \
  {                                                                                                                    \
    icicle::map_convert<IC_F::name, false>(a, out, n);                                                                 \
  }                                                                                                                    \
  IC_KERNEL(name, inv)(const icicle::u32* a, icicle::u32* out, icicle::u32* scratch, icicle::u64 n)                    \
  {                                                                                                                    \
    icicle::invert<IC_F::name, false>(nullptr, a, out, scratch, n);                                                    \
  }                                                                                                                    \
  IC_KERNEL(name, div)                                                                                                 \
  (const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u32* scratch, icicle::u64 n)                  \
  {                                                                                                                    \
    icicle::invert<IC_F::name, true>(a, b, out, scratch, n);                                                           \
  }                                                                                                                    \
  IC_SCALAR_KERNELS(name, scalar_add, icicle::Add, icicle::Add, false)                                                 \
  IC_SCALAR_KERNELS(name, scalar_sub, icicle::Sub, icicle::Sub, false)                                                 \
  IC_SCALAR_KERNELS(name, scalar_mul, icicle::Scale, icicle::Mul, true)                                                \
  IC_REDUCE_KERNELS(name, sum, icicle::Add)                                                                            \
  IC_REDUCE_KERNELS(name, product, icicle::Mul)                                                                        \
  IC_KERNEL(name, polynomial_evaluate)                                                                                 \
  (const icicle::u32* coefficients, const icicle::u32* domain, icicle::u32* out, icicle::u64 n, icicle::u64 points,    \
   icicle::u64 batch, icicle::u64 pitch, icicle::u64 stride, icicle::u64 segments, icicle::u32 columns)                \
  {                                                                                                                    \
    icicle::polynomial_evaluate<IC_F::name>(coefficients, domain, out, n, points, batch, pitch, stride, segments,      \
                                            columns);                                                                  \
  }                                                                                                                    \
  IC_KERNEL(name, program)(const icicle::u32* code, icicle::u32* registers, icicle::u64 n, icicle::u64 count)          \
  {                                                                                                                    \
    icicle::run_program<IC_F::name>(code, registers, n, count);                                                        \
  }                                                                                                                    \
  IC_KERNEL(name, division_prepare)                                                                                    \
  (const icicle::u32* denominators, icicle::i64* top, icicle::u32* reversed, icicle::u32* series, icicle::u64 m,       \
   icicle::u64 batch, icicle::u64 pitch, icicle::u64 stride)                                                           \
  {                                                                                                                    \
    icicle::division_prepare<IC_F::name>(denominators, top, reversed, series, m, batch, pitch, stride);                \
  }                                                                                                                    \
  IC_KERNEL(name, division_step)                                                                                       \
  (icicle::u32* rest, const icicle::u32* reversed, const icicle::u32* series, const icicle::i64* top,                  \
   icicle::u32* quotient, icicle::u64 step, icicle::u64 m, icicle::u64 batch, icicle::u64 pitch, icicle::u64 q_pitch,  \
   icicle::u64 stride)                                                                                                 \
  {                                                                                                                    \
    icicle::division_step<IC_F::name>(rest, reversed, series, top, quotient, step, m, batch, pitch, q_pitch, stride);  \
  }                                                                                                                    \
  IC_KERNEL(name, division_remainder)                                                                                  \
  (const icicle::u32* rest, const icicle::i64* top, icicle::u32* out, icicle::u64 room, icicle::u64 batch,             \
   icicle::u64 pitch, icicle::u64 out_pitch, icicle::u64 stride)                                                       \
  {                                                                                                                    \
    icicle::division_remainder<IC_F::name>(rest, top, out, room, batch, pitch, out_pitch, stride);                     \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) name##_matmul(                                                     \
    const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u64 rows, icicle::u64 inner,                 \
    icicle::u64 cols, icicle::u64 a_row, icicle::u64 a_col, icicle::u64 b_row, icicle::u64 b_col,                      \
    icicle::u64 out_row, icicle::u64 out_col)                                                                          \
  {                                                                                                                    \
    icicle::Matmul<IC_F::name>::run(a, b, out, rows, inner, cols, a_row, a_col, b_row, b_col, out_row, out_col);       \
  }

// `_row`: vectors along grid y; `_flat`: any layout.
#define IC_SCALAR_KERNELS(name, op, ROW, FLAT, WORKING)                                                                \
  IC_KERNEL(name, op##_row)                                                                                            \
  (const icicle::u32* scalars, const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u64 batch)               \
  {                                                                                                                    \
    icicle::map_scalar<IC_F::name, ROW, WORKING>(scalars, a, out, n, batch);                                           \
  }                                                                                                                    \
  IC_KERNEL(name, op##_flat)                                                                                           \
  (const icicle::u32* scalars, const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u64 batch,               \
   icicle::u32 columns)                                                                                                \
  {                                                                                                                    \
    icicle::map_scalar_flat<IC_F::name, FLAT>(scalars, a, out, n, batch, columns);                                     \
  }

#define IC_REDUCE_KERNELS(name, op, OP)                                                                                \
  IC_KERNEL(name, op##_block)(const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u64 batch)                \
  {                                                                                                                    \
    icicle::reduce_block<IC_F::name, OP>(a, out, n, batch);                                                            \
  }                                                                                                                    \
  IC_KERNEL(name, op##_thread)                                                                                         \
  (const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u64 batch, icicle::u64 pitch, icicle::u64 stride,    \
   icicle::u64 segments)                                                                                               \
  {                                                                                                                    \
    icicle::reduce_thread<IC_F::name, OP>(a, out, n, batch, pitch, stride, segments);                                  \
  }

// For extensions of scalar fields.
#define IC_MIXED_KERNELS(name)                                                                                         \
  IC_KERNEL(name, mixed_mul)(const icicle::u32* a, const icicle::u32* b, icicle::u32* out, icicle::u64 n)              \
  {                                                                                                                    \
    icicle::map_mixed<IC_F::name>(a, b, out, n);                                                                       \
  }
