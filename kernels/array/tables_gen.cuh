// @generated from the tables of `core/array` by a test there (`cuda/ahead/tables.rs`). Do not edit.
#pragma once

#define ARRAY_CAST 0
#define ARRAY_WHERE 1

// Number, dtype.
#define ARRAY_DTYPES(M) \
  M(0, bool) \
  M(1, int8) \
  M(2, int16) \
  M(3, int32) \
  M(4, int64) \
  M(5, uint8) \
  M(6, uint16) \
  M(7, uint32) \
  M(8, uint64) \
  M(9, float16) \
  M(10, bfloat16) \
  M(11, float32) \
  M(12, float64) \
  M(13, complex64) \
  M(14, complex128)

// Operations in a dtype: number, name, dtype of results.
#define ARRAY_LIGHT_UNARY_bool(M) \
  M(38, logical_not, bool) \
  M(39, bitwise_invert, bool)
#define ARRAY_LIGHT_BINARY_bool(M) \
  M(54, bitwise_and, bool) \
  M(55, bitwise_or, bool) \
  M(56, bitwise_xor, bool) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(65, logical_and, bool) \
  M(66, logical_or, bool) \
  M(67, logical_xor, bool)
#define ARRAY_HEAVY_UNARY_bool(M)
#define ARRAY_HEAVY_BINARY_bool(M)
#define ARRAY_LIGHT_UNARY_int8(M) \
  M(2, abs, int8) \
  M(3, negative, int8) \
  M(4, positive, int8) \
  M(5, sign, int8) \
  M(7, square, int8) \
  M(27, floor, int8) \
  M(28, ceil, int8) \
  M(29, trunc, int8) \
  M(30, round, int8) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, int8) \
  M(36, real, int8) \
  M(39, bitwise_invert, int8)
#define ARRAY_LIGHT_BINARY_int8(M) \
  M(40, add, int8) \
  M(41, subtract, int8) \
  M(42, multiply, int8) \
  M(52, maximum, int8) \
  M(53, minimum, int8) \
  M(54, bitwise_and, int8) \
  M(55, bitwise_or, int8) \
  M(56, bitwise_xor, int8) \
  M(57, bitwise_left_shift, int8) \
  M(58, bitwise_right_shift, int8) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_int8(M)
#define ARRAY_HEAVY_BINARY_int8(M) \
  M(44, floor_divide, int8) \
  M(45, remainder, int8) \
  M(46, pow, int8)
#define ARRAY_LIGHT_UNARY_int16(M) \
  M(2, abs, int16) \
  M(3, negative, int16) \
  M(4, positive, int16) \
  M(5, sign, int16) \
  M(7, square, int16) \
  M(27, floor, int16) \
  M(28, ceil, int16) \
  M(29, trunc, int16) \
  M(30, round, int16) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, int16) \
  M(36, real, int16) \
  M(39, bitwise_invert, int16)
#define ARRAY_LIGHT_BINARY_int16(M) \
  M(40, add, int16) \
  M(41, subtract, int16) \
  M(42, multiply, int16) \
  M(52, maximum, int16) \
  M(53, minimum, int16) \
  M(54, bitwise_and, int16) \
  M(55, bitwise_or, int16) \
  M(56, bitwise_xor, int16) \
  M(57, bitwise_left_shift, int16) \
  M(58, bitwise_right_shift, int16) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_int16(M)
#define ARRAY_HEAVY_BINARY_int16(M) \
  M(44, floor_divide, int16) \
  M(45, remainder, int16) \
  M(46, pow, int16)
#define ARRAY_LIGHT_UNARY_int32(M) \
  M(2, abs, int32) \
  M(3, negative, int32) \
  M(4, positive, int32) \
  M(5, sign, int32) \
  M(7, square, int32) \
  M(27, floor, int32) \
  M(28, ceil, int32) \
  M(29, trunc, int32) \
  M(30, round, int32) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, int32) \
  M(36, real, int32) \
  M(39, bitwise_invert, int32)
#define ARRAY_LIGHT_BINARY_int32(M) \
  M(40, add, int32) \
  M(41, subtract, int32) \
  M(42, multiply, int32) \
  M(52, maximum, int32) \
  M(53, minimum, int32) \
  M(54, bitwise_and, int32) \
  M(55, bitwise_or, int32) \
  M(56, bitwise_xor, int32) \
  M(57, bitwise_left_shift, int32) \
  M(58, bitwise_right_shift, int32) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_int32(M)
#define ARRAY_HEAVY_BINARY_int32(M) \
  M(44, floor_divide, int32) \
  M(45, remainder, int32) \
  M(46, pow, int32)
#define ARRAY_LIGHT_UNARY_int64(M) \
  M(2, abs, int64) \
  M(3, negative, int64) \
  M(4, positive, int64) \
  M(5, sign, int64) \
  M(7, square, int64) \
  M(27, floor, int64) \
  M(28, ceil, int64) \
  M(29, trunc, int64) \
  M(30, round, int64) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, int64) \
  M(36, real, int64) \
  M(39, bitwise_invert, int64)
#define ARRAY_LIGHT_BINARY_int64(M) \
  M(40, add, int64) \
  M(41, subtract, int64) \
  M(42, multiply, int64) \
  M(52, maximum, int64) \
  M(53, minimum, int64) \
  M(54, bitwise_and, int64) \
  M(55, bitwise_or, int64) \
  M(56, bitwise_xor, int64) \
  M(57, bitwise_left_shift, int64) \
  M(58, bitwise_right_shift, int64) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_int64(M)
#define ARRAY_HEAVY_BINARY_int64(M) \
  M(44, floor_divide, int64) \
  M(45, remainder, int64) \
  M(46, pow, int64)
#define ARRAY_LIGHT_UNARY_uint8(M) \
  M(2, abs, uint8) \
  M(3, negative, uint8) \
  M(4, positive, uint8) \
  M(5, sign, uint8) \
  M(7, square, uint8) \
  M(27, floor, uint8) \
  M(28, ceil, uint8) \
  M(29, trunc, uint8) \
  M(30, round, uint8) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, uint8) \
  M(36, real, uint8) \
  M(39, bitwise_invert, uint8)
#define ARRAY_LIGHT_BINARY_uint8(M) \
  M(40, add, uint8) \
  M(41, subtract, uint8) \
  M(42, multiply, uint8) \
  M(52, maximum, uint8) \
  M(53, minimum, uint8) \
  M(54, bitwise_and, uint8) \
  M(55, bitwise_or, uint8) \
  M(56, bitwise_xor, uint8) \
  M(57, bitwise_left_shift, uint8) \
  M(58, bitwise_right_shift, uint8) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_uint8(M)
#define ARRAY_HEAVY_BINARY_uint8(M) \
  M(44, floor_divide, uint8) \
  M(45, remainder, uint8) \
  M(46, pow, uint8)
#define ARRAY_LIGHT_UNARY_uint16(M) \
  M(2, abs, uint16) \
  M(3, negative, uint16) \
  M(4, positive, uint16) \
  M(5, sign, uint16) \
  M(7, square, uint16) \
  M(27, floor, uint16) \
  M(28, ceil, uint16) \
  M(29, trunc, uint16) \
  M(30, round, uint16) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, uint16) \
  M(36, real, uint16) \
  M(39, bitwise_invert, uint16)
#define ARRAY_LIGHT_BINARY_uint16(M) \
  M(40, add, uint16) \
  M(41, subtract, uint16) \
  M(42, multiply, uint16) \
  M(52, maximum, uint16) \
  M(53, minimum, uint16) \
  M(54, bitwise_and, uint16) \
  M(55, bitwise_or, uint16) \
  M(56, bitwise_xor, uint16) \
  M(57, bitwise_left_shift, uint16) \
  M(58, bitwise_right_shift, uint16) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_uint16(M)
#define ARRAY_HEAVY_BINARY_uint16(M) \
  M(44, floor_divide, uint16) \
  M(45, remainder, uint16) \
  M(46, pow, uint16)
#define ARRAY_LIGHT_UNARY_uint32(M) \
  M(2, abs, uint32) \
  M(3, negative, uint32) \
  M(4, positive, uint32) \
  M(5, sign, uint32) \
  M(7, square, uint32) \
  M(27, floor, uint32) \
  M(28, ceil, uint32) \
  M(29, trunc, uint32) \
  M(30, round, uint32) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, uint32) \
  M(36, real, uint32) \
  M(39, bitwise_invert, uint32)
#define ARRAY_LIGHT_BINARY_uint32(M) \
  M(40, add, uint32) \
  M(41, subtract, uint32) \
  M(42, multiply, uint32) \
  M(52, maximum, uint32) \
  M(53, minimum, uint32) \
  M(54, bitwise_and, uint32) \
  M(55, bitwise_or, uint32) \
  M(56, bitwise_xor, uint32) \
  M(57, bitwise_left_shift, uint32) \
  M(58, bitwise_right_shift, uint32) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_uint32(M)
#define ARRAY_HEAVY_BINARY_uint32(M) \
  M(44, floor_divide, uint32) \
  M(45, remainder, uint32) \
  M(46, pow, uint32)
#define ARRAY_LIGHT_UNARY_uint64(M) \
  M(2, abs, uint64) \
  M(3, negative, uint64) \
  M(4, positive, uint64) \
  M(5, sign, uint64) \
  M(7, square, uint64) \
  M(27, floor, uint64) \
  M(28, ceil, uint64) \
  M(29, trunc, uint64) \
  M(30, round, uint64) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, uint64) \
  M(36, real, uint64) \
  M(39, bitwise_invert, uint64)
#define ARRAY_LIGHT_BINARY_uint64(M) \
  M(40, add, uint64) \
  M(41, subtract, uint64) \
  M(42, multiply, uint64) \
  M(52, maximum, uint64) \
  M(53, minimum, uint64) \
  M(54, bitwise_and, uint64) \
  M(55, bitwise_or, uint64) \
  M(56, bitwise_xor, uint64) \
  M(57, bitwise_left_shift, uint64) \
  M(58, bitwise_right_shift, uint64) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_uint64(M)
#define ARRAY_HEAVY_BINARY_uint64(M) \
  M(44, floor_divide, uint64) \
  M(45, remainder, uint64) \
  M(46, pow, uint64)
#define ARRAY_LIGHT_UNARY_float16(M)
#define ARRAY_LIGHT_BINARY_float16(M) \
  M(50, nextafter, float16)
#define ARRAY_HEAVY_UNARY_float16(M)
#define ARRAY_HEAVY_BINARY_float16(M)
#define ARRAY_LIGHT_UNARY_bfloat16(M)
#define ARRAY_LIGHT_BINARY_bfloat16(M) \
  M(50, nextafter, bfloat16)
#define ARRAY_HEAVY_UNARY_bfloat16(M)
#define ARRAY_HEAVY_BINARY_bfloat16(M)
#define ARRAY_LIGHT_UNARY_float32(M) \
  M(2, abs, float32) \
  M(3, negative, float32) \
  M(4, positive, float32) \
  M(5, sign, float32) \
  M(6, sqrt, float32) \
  M(7, square, float32) \
  M(8, reciprocal, float32) \
  M(27, floor, float32) \
  M(28, ceil, float32) \
  M(29, trunc, float32) \
  M(30, round, float32) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(34, signbit, bool) \
  M(35, conj, float32) \
  M(36, real, float32)
#define ARRAY_LIGHT_BINARY_float32(M) \
  M(40, add, float32) \
  M(41, subtract, float32) \
  M(42, multiply, float32) \
  M(43, divide, float32) \
  M(49, copysign, float32) \
  M(50, nextafter, float32) \
  M(52, maximum, float32) \
  M(53, minimum, float32) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_float32(M) \
  M(9, exp, float32) \
  M(10, expm1, float32) \
  M(11, log, float32) \
  M(12, log1p, float32) \
  M(13, log2, float32) \
  M(14, log10, float32) \
  M(15, sin, float32) \
  M(16, cos, float32) \
  M(17, tan, float32) \
  M(18, asin, float32) \
  M(19, acos, float32) \
  M(20, atan, float32) \
  M(21, sinh, float32) \
  M(22, cosh, float32) \
  M(23, tanh, float32) \
  M(24, asinh, float32) \
  M(25, acosh, float32) \
  M(26, atanh, float32)
#define ARRAY_HEAVY_BINARY_float32(M) \
  M(44, floor_divide, float32) \
  M(45, remainder, float32) \
  M(46, pow, float32) \
  M(47, atan2, float32) \
  M(48, hypot, float32) \
  M(51, logaddexp, float32)
#define ARRAY_LIGHT_UNARY_float64(M) \
  M(2, abs, float64) \
  M(3, negative, float64) \
  M(4, positive, float64) \
  M(5, sign, float64) \
  M(6, sqrt, float64) \
  M(7, square, float64) \
  M(8, reciprocal, float64) \
  M(27, floor, float64) \
  M(28, ceil, float64) \
  M(29, trunc, float64) \
  M(30, round, float64) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(34, signbit, bool) \
  M(35, conj, float64) \
  M(36, real, float64)
#define ARRAY_LIGHT_BINARY_float64(M) \
  M(40, add, float64) \
  M(41, subtract, float64) \
  M(42, multiply, float64) \
  M(43, divide, float64) \
  M(49, copysign, float64) \
  M(50, nextafter, float64) \
  M(52, maximum, float64) \
  M(53, minimum, float64) \
  M(59, equal, bool) \
  M(60, not_equal, bool) \
  M(61, less, bool) \
  M(62, less_equal, bool) \
  M(63, greater, bool) \
  M(64, greater_equal, bool)
#define ARRAY_HEAVY_UNARY_float64(M) \
  M(9, exp, float64) \
  M(10, expm1, float64) \
  M(11, log, float64) \
  M(12, log1p, float64) \
  M(13, log2, float64) \
  M(14, log10, float64) \
  M(15, sin, float64) \
  M(16, cos, float64) \
  M(17, tan, float64) \
  M(18, asin, float64) \
  M(19, acos, float64) \
  M(20, atan, float64) \
  M(21, sinh, float64) \
  M(22, cosh, float64) \
  M(23, tanh, float64) \
  M(24, asinh, float64) \
  M(25, acosh, float64) \
  M(26, atanh, float64)
#define ARRAY_HEAVY_BINARY_float64(M) \
  M(44, floor_divide, float64) \
  M(45, remainder, float64) \
  M(46, pow, float64) \
  M(47, atan2, float64) \
  M(48, hypot, float64) \
  M(51, logaddexp, float64)
#define ARRAY_LIGHT_UNARY_complex64(M) \
  M(2, abs, float32) \
  M(3, negative, complex64) \
  M(4, positive, complex64) \
  M(5, sign, complex64) \
  M(6, sqrt, complex64) \
  M(7, square, complex64) \
  M(8, reciprocal, complex64) \
  M(30, round, complex64) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, complex64) \
  M(36, real, float32) \
  M(37, imag, float32)
#define ARRAY_LIGHT_BINARY_complex64(M) \
  M(40, add, complex64) \
  M(41, subtract, complex64) \
  M(42, multiply, complex64) \
  M(43, divide, complex64) \
  M(59, equal, bool) \
  M(60, not_equal, bool)
#define ARRAY_HEAVY_UNARY_complex64(M) \
  M(9, exp, complex64) \
  M(10, expm1, complex64) \
  M(11, log, complex64) \
  M(12, log1p, complex64) \
  M(13, log2, complex64) \
  M(14, log10, complex64) \
  M(15, sin, complex64) \
  M(16, cos, complex64) \
  M(17, tan, complex64) \
  M(18, asin, complex64) \
  M(19, acos, complex64) \
  M(20, atan, complex64) \
  M(21, sinh, complex64) \
  M(22, cosh, complex64) \
  M(23, tanh, complex64) \
  M(24, asinh, complex64) \
  M(25, acosh, complex64) \
  M(26, atanh, complex64)
#define ARRAY_HEAVY_BINARY_complex64(M) \
  M(46, pow, complex64)
#define ARRAY_LIGHT_UNARY_complex128(M) \
  M(2, abs, float64) \
  M(3, negative, complex128) \
  M(4, positive, complex128) \
  M(5, sign, complex128) \
  M(6, sqrt, complex128) \
  M(7, square, complex128) \
  M(8, reciprocal, complex128) \
  M(30, round, complex128) \
  M(31, isnan, bool) \
  M(32, isinf, bool) \
  M(33, isfinite, bool) \
  M(35, conj, complex128) \
  M(36, real, float64) \
  M(37, imag, float64)
#define ARRAY_LIGHT_BINARY_complex128(M) \
  M(40, add, complex128) \
  M(41, subtract, complex128) \
  M(42, multiply, complex128) \
  M(43, divide, complex128) \
  M(59, equal, bool) \
  M(60, not_equal, bool)
#define ARRAY_HEAVY_UNARY_complex128(M) \
  M(9, exp, complex128) \
  M(10, expm1, complex128) \
  M(11, log, complex128) \
  M(12, log1p, complex128) \
  M(13, log2, complex128) \
  M(14, log10, complex128) \
  M(15, sin, complex128) \
  M(16, cos, complex128) \
  M(17, tan, complex128) \
  M(18, asin, complex128) \
  M(19, acos, complex128) \
  M(20, atan, complex128) \
  M(21, sinh, complex128) \
  M(22, cosh, complex128) \
  M(23, tanh, complex128) \
  M(24, asinh, complex128) \
  M(25, acosh, complex128) \
  M(26, atanh, complex128)
#define ARRAY_HEAVY_BINARY_complex128(M) \
  M(46, pow, complex128)

// Folds: type, name, dtypes of elements, of what is held and of results.
#define ARRAY_FOLDS(M) \
  M(All, all, bool, bool, bool) \
  M(Any, any, bool, bool, bool) \
  M(Count, count, bool, int64, int64) \
  M(Min, min, int8, int8, int8) \
  M(ArgMin, argmin, int8, int8, int64) \
  M(Max, max, int8, int8, int8) \
  M(ArgMax, argmax, int8, int8, int64) \
  M(Min, min, int16, int16, int16) \
  M(ArgMin, argmin, int16, int16, int64) \
  M(Max, max, int16, int16, int16) \
  M(ArgMax, argmax, int16, int16, int64) \
  M(Min, min, int32, int32, int32) \
  M(ArgMin, argmin, int32, int32, int64) \
  M(Max, max, int32, int32, int32) \
  M(ArgMax, argmax, int32, int32, int64) \
  M(Sum, sum, int64, int64, int64) \
  M(Prod, prod, int64, int64, int64) \
  M(Min, min, int64, int64, int64) \
  M(ArgMin, argmin, int64, int64, int64) \
  M(Max, max, int64, int64, int64) \
  M(ArgMax, argmax, int64, int64, int64) \
  M(Min, min, uint8, uint8, uint8) \
  M(ArgMin, argmin, uint8, uint8, int64) \
  M(Max, max, uint8, uint8, uint8) \
  M(ArgMax, argmax, uint8, uint8, int64) \
  M(Min, min, uint16, uint16, uint16) \
  M(ArgMin, argmin, uint16, uint16, int64) \
  M(Max, max, uint16, uint16, uint16) \
  M(ArgMax, argmax, uint16, uint16, int64) \
  M(Min, min, uint32, uint32, uint32) \
  M(ArgMin, argmin, uint32, uint32, int64) \
  M(Max, max, uint32, uint32, uint32) \
  M(ArgMax, argmax, uint32, uint32, int64) \
  M(Sum, sum, uint64, uint64, uint64) \
  M(Prod, prod, uint64, uint64, uint64) \
  M(Min, min, uint64, uint64, uint64) \
  M(ArgMin, argmin, uint64, uint64, int64) \
  M(Max, max, uint64, uint64, uint64) \
  M(ArgMax, argmax, uint64, uint64, int64) \
  M(Sum, sum, float32, float64, float64) \
  M(Squares, squares, float32, float64, float64) \
  M(Min, min, float32, float32, float32) \
  M(ArgMin, argmin, float32, float32, int64) \
  M(Max, max, float32, float32, float32) \
  M(ArgMax, argmax, float32, float32, int64) \
  M(Sum, sum, float64, float64, float64) \
  M(Squares, squares, float64, float64, float64) \
  M(Prod, prod, float64, float64, float64) \
  M(Min, min, float64, float64, float64) \
  M(ArgMin, argmin, float64, float64, int64) \
  M(Max, max, float64, float64, float64) \
  M(ArgMax, argmax, float64, float64, int64) \
  M(Sum, sum, complex128, complex128, complex128) \
  M(Prod, prod, complex128, complex128, complex128)

// Rules of random numbers: type, name, dtype.
#define ARRAY_RULES(M) \
  M(Bits<uint8>, bits, uint8) \
  M(Bits<uint16>, bits, uint16) \
  M(Bits<uint32>, bits, uint32) \
  M(Bits<uint64>, bits, uint64) \
  M(Uniform<float32>, uniform, float32) \
  M(Uniform<float64>, uniform, float64) \
  M(Normal<float32>, normal, float32) \
  M(Normal<float64>, normal, float64) \
  M(Bernoulli, bernoulli, bool) \
  M(Few<int8>, few, int8) \
  M(Many<int8>, many, int8) \
  M(Few<int16>, few, int16) \
  M(Many<int16>, many, int16) \
  M(Few<int32>, few, int32) \
  M(Many<int32>, many, int32) \
  M(Few<int64>, few, int64) \
  M(Many<int64>, many, int64) \
  M(Few<uint8>, few, uint8) \
  M(Many<uint8>, many, uint8) \
  M(Few<uint16>, few, uint16) \
  M(Many<uint16>, many, uint16) \
  M(Few<uint32>, few, uint32) \
  M(Many<uint32>, many, uint32) \
  M(Few<uint64>, few, uint64) \
  M(Many<uint64>, many, uint64)
