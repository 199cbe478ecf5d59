#pragma once
// 32-bit arithmetic with the carry flag: the machine's instructions on the device, an emulated flag on the host, so that
// the same chains of calls can be tested without a GPU. A chain must not be interrupted by another chain.
#include "base.cuh"

namespace icicle {

#ifdef __CUDA_ARCH__

// `volatile` keeps the statements of a chain in order; nothing that the compiler places between them touches the flag.
#define IC_PTX2(name, op)                                                                                              \
  IC_D u32 name(u32 a, u32 b)                                                                                          \
  {                                                                                                                    \
    u32 r;                                                                                                             \
    asm volatile(op " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                                        \
    return r;                                                                                                          \
  }
#define IC_PTX3(name, op)                                                                                              \
  IC_D u32 name(u32 a, u32 b, u32 c)                                                                                   \
  {                                                                                                                    \
    u32 r;                                                                                                             \
    asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                            \
    return r;                                                                                                          \
  }
IC_PTX2(add_cc, "add.cc.u32")
IC_PTX2(addc_cc, "addc.cc.u32")
IC_PTX2(addc, "addc.u32")
IC_PTX2(sub_cc, "sub.cc.u32")
IC_PTX2(subc_cc, "subc.cc.u32")
IC_PTX2(subc, "subc.u32")
IC_PTX3(mad_lo_cc, "mad.lo.cc.u32")
IC_PTX3(madc_lo_cc, "madc.lo.cc.u32")
IC_PTX3(madc_lo, "madc.lo.u32")
IC_PTX3(mad_hi_cc, "mad.hi.cc.u32")
IC_PTX3(madc_hi_cc, "madc.hi.cc.u32")
IC_PTX3(madc_hi, "madc.hi.u32")
#undef IC_PTX2
#undef IC_PTX3

IC_D u32 mul_hi(u32 a, u32 b) { return __umulhi(a, b); }
IC_D u64 mul_hi64(u64 a, u64 b) { return __umul64hi(a, b); }
// The low word of `(high:low) >> shift`, `shift < 32`.
IC_D u32 funnel_right(u32 low, u32 high, u32 shift) { return __funnelshift_r(low, high, shift); }

#else

// The emulated flag of add-with-carry and subtract-with-borrow. One thread at a time.
static u32 host_carry_flag = 0;

inline u32 host_sum(u64 wide, bool write)
{
  if (write) { host_carry_flag = (u32)(wide >> 32); }
  return (u32)wide;
}
inline u32 host_difference(u32 a, u32 b, u32 borrow, bool write)
{
  u64 wide = (u64)a - b - borrow;
  if (write) { host_carry_flag = (u32)(wide >> 63); }
  return (u32)wide;
}
inline u32 add_cc(u32 a, u32 b) { return host_sum((u64)a + b, true); }
inline u32 addc_cc(u32 a, u32 b) { return host_sum((u64)a + b + host_carry_flag, true); }
inline u32 addc(u32 a, u32 b) { return host_sum((u64)a + b + host_carry_flag, false); }
inline u32 sub_cc(u32 a, u32 b) { return host_difference(a, b, 0, true); }
inline u32 subc_cc(u32 a, u32 b) { return host_difference(a, b, host_carry_flag, true); }
inline u32 subc(u32 a, u32 b) { return host_difference(a, b, host_carry_flag, false); }
inline u32 host_lo(u32 a, u32 b) { return a * b; }
inline u32 host_hi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
inline u32 mad_lo_cc(u32 a, u32 b, u32 c) { return add_cc(host_lo(a, b), c); }
inline u32 madc_lo_cc(u32 a, u32 b, u32 c) { return addc_cc(host_lo(a, b), c); }
inline u32 madc_lo(u32 a, u32 b, u32 c) { return addc(host_lo(a, b), c); }
inline u32 mad_hi_cc(u32 a, u32 b, u32 c) { return add_cc(host_hi(a, b), c); }
inline u32 madc_hi_cc(u32 a, u32 b, u32 c) { return addc_cc(host_hi(a, b), c); }
inline u32 madc_hi(u32 a, u32 b, u32 c) { return addc(host_hi(a, b), c); }
inline u32 mul_hi(u32 a, u32 b) { return host_hi(a, b); }
inline u64 mul_hi64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
inline u32 funnel_right(u32 low, u32 high, u32 shift) { return (u32)((((u64)high << 32) | low) >> shift); }

#endif

} // namespace icicle
