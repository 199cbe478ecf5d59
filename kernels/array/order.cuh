#pragma once
// Numbers as unsigned words of the same size and order: ascending with -0.0 below 0.0 and NaN last, or descending.
//
// One kernel a size of words serves all dtypes: what tells them apart are masks, which the host chooses
// (`Order` of src/array_sort.rs).
#include "../field/base.cuh"

namespace icicle {

// What the host passes: the fields of `Order<u64>`.
struct OrderMasks {
  u64 magnitude, infinity, nan, smallest, negative, positive, shift;
};

// How elements of the words' size are ordered.
//
// Of floats `magnitude` is every bit but the sign, and a word whose magnitude is above `infinity` is NaN. It loses its sign,
// so that it is above infinity, and its payload becomes all ones where `nan` is `magnitude`: then all NaN are equal. Words
// whose magnitude is below `smallest` become 0: with 1, -0.0 and 0.0 are equal; with 0 nothing changes. Then the bits of
// `negative` or of `positive`, as the top bit says, are inverted. Integers have all bits in `magnitude` and `infinity`.
//
// The highest element's word has all bits, as the passes need it to fill tiles: where words of NaN without elements would be
// above it, which is so of floats in descending order, `shift` is their number and added to all words.
template <class K>
struct Order {
  static constexpr u32 TOP = sizeof(K) * 8 - 1;
  K magnitude, infinity, nan, smallest, negative, positive, shift;

  static IC_HD Order of(const OrderMasks& masks)
  {
    return {(K)masks.magnitude, (K)masks.infinity, (K)masks.nan,
            (K)masks.smallest,  (K)masks.negative, (K)masks.positive, (K)masks.shift};
  }
  // The word of an element.
  IC_HD K key(K bits) const
  {
    K size = bits & magnitude;
    bits = size < smallest ? (K)0 : bits;
    bits = size > infinity ? (K)(size | nan) : bits;
    return (K)((bits ^ ((bits >> TOP) & 1 ? negative : positive)) + shift);
  }
  // The element of a word: what had it, but for what `key` does to NaN and zero.
  IC_HD K bits(K key) const
  {
    // A positive number's top bit is 0, so its word's is that of `positive`.
    key = (K)(key - shift);
    return (K)(key ^ (((key ^ positive) >> TOP) & 1 ? negative : positive));
  }
  // The element that is above all others or equal, which fills what is missing.
  IC_HD K highest() const { return bits((K)~(K)0); }
  IC_HD bool is_nan(K bits) const { return (K)(bits & magnitude) > infinity; }
};

} // namespace icicle
