#pragma once
// Programs: straight-line code that every thread interprets for one position after another. All threads of a grid execute
// the same instruction, so nothing diverges. Registers lie in scratch memory, words of 16 bytes side by side across
// threads; a result that only the next instruction needs stays in the thread. Elements are canonical throughout: of
// these products cost as little as in working form (`Fp::mul_raw`), and nothing is converted.
// Bound: multiplications, or memory for short programs.
#include "../vec/access.cuh"

namespace icicle {

// `core/zk/src/cuda/program.rs` writes these. An operand is a kind in the two low bits and, above, a number or an address.
enum ProgramKind : u32 {
  // The last result; as a target: kept nowhere else.
  PROGRAM_LAST = 0,
  // The position's element of the vector at this address.
  PROGRAM_ELEMENT = 1,
  // A register, by number.
  PROGRAM_REGISTER = 2,
  // A constant, by its distance from the code in bytes.
  PROGRAM_CONSTANT = 3,
};
enum ProgramOpcode : u64 { PROGRAM_ADD = 0, PROGRAM_SUB = 1, PROGRAM_MUL = 2, PROGRAM_INVERSE = 3, PROGRAM_COPY = 4 };

struct alignas(16) ProgramInstruction {
  u64 a, b, to, opcode;
};

// A thread's registers: units of 16 bytes, or of a word, of all threads side by side.
template <class F>
struct ProgramFile {
  static constexpr u32 W = F::WORDS, UNIT = W % 4 == 0 ? 4 : 1, UNITS = W / UNIT;
  u32* first;
  u64 threads;

  IC_D u32* unit(u64 number, u32 k) const { return first + (number * UNITS + k) * threads * UNIT; }
  IC_D F get(u64 number) const
  {
    u32 w[W];
    IC_UNROLL
    for (u32 k = 0; k < UNITS; k++) {
      if constexpr (UNIT == 4) {
        Chunk c = *(const Chunk*)unit(number, k);
        IC_UNROLL
        for (u32 j = 0; j < 4; j++) { w[4 * k + j] = c.w[j]; }
      } else {
        w[k] = *unit(number, k);
      }
    }
    return F::from_limbs(w);
  }
  IC_D void set(u64 number, const F& x) const
  {
    u32 w[W];
    x.to_limbs(w);
    IC_UNROLL
    for (u32 k = 0; k < UNITS; k++) {
      if constexpr (UNIT == 4) {
        *(Chunk*)unit(number, k) = Chunk{{w[4 * k], w[4 * k + 1], w[4 * k + 2], w[4 * k + 3]}};
      } else {
        *unit(number, k) = w[k];
      }
    }
  }
};

template <class F>
IC_D F program_operand(u64 operand, const u32* code, const ProgramFile<F>& file, u64 i, const F& last)
{
  u64 rest = operand & ~(u64)3;
  switch ((u32)operand & 3) {
    case PROGRAM_ELEMENT: return load_element<F>((const u32*)rest + i * F::WORDS, is_aligned((const u32*)rest));
    case PROGRAM_REGISTER: return file.get(rest >> 2);
    case PROGRAM_CONSTANT: return load_element<F>(code + (rest >> 2), false);
    default: return last;
  }
}

// `count` instructions at `code` for each of `n` positions. `registers`: as many as the code names, for every thread of
// the grid.
template <class F>
IC_D void run_program(const u32* code, u32* registers, u64 n, u64 count)
{
  const ProgramInstruction* instructions = (const ProgramInstruction*)code;
  ProgramFile<F> file = {registers + thread_index() * ProgramFile<F>::UNIT, thread_count()};
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    F last = F::zero();
    IC_NO_UNROLL
    for (u64 at = 0; at < count; at++) {
      ProgramInstruction now = instructions[at];
      F x = program_operand(now.a, code, file, i, last);
      if (now.opcode <= PROGRAM_MUL) {
        F y = program_operand(now.b, code, file, i, last);
        x = now.opcode == PROGRAM_ADD ? x + y : now.opcode == PROGRAM_SUB ? x - y : F::mul_raw(x, y);
      } else if (now.opcode == PROGRAM_INVERSE) {
        // Canonical limbs x stand for x/R.
        x = x.inverse() * (F::raw_one() * F::raw_one());
      }
      u64 rest = now.to & ~(u64)3;
      if (((u32)now.to & 3) == PROGRAM_ELEMENT) {
        store_element((u32*)rest + i * F::WORDS, x, is_aligned((const u32*)rest));
      } else if (((u32)now.to & 3) == PROGRAM_REGISTER) {
        file.set(rest >> 2, x);
      }
      last = x;
    }
  }
}

} // namespace icicle
