// Programs: expressions over vectors, executed in one pass; included by icicle.hpp.
//
//   using namespace icicle;
//   Symbol a = Symbol::input(field, 0), b = Symbol::input(field, 1);
//   Program sum_and_square(field, {a, b, (a + b) * (a + b)});    // parameter 2 becomes (a + b)²
//   sum_and_square.execute({x, y, out}, n);
#ifndef ICICLE_PROGRAM_HPP
#define ICICLE_PROGRAM_HPP

#include "device.hpp"

#include <utility>

namespace icicle {

/// An expression over a program's parameters. The thread owns symbols until it makes a program of some, or releases them;
/// using one after that is an error.
class Symbol {
 public:
  /// A parameter before execution.
  static Symbol input(icicle_field_t field, int index) {
    return Symbol(field, made(icicle_create_input_symbol(field, index)));
  }
  /// A constant: one canonical element in host memory.
  static Symbol constant(icicle_field_t field, const void *element) {
    return Symbol(field, made(icicle_create_scalar_symbol(field, element)));
  }
  /// Another handle of the same expression.
  Symbol copy() const { return Symbol(field_, made(icicle_copy_symbol(field_, raw_))); }
  friend Symbol operator+(const Symbol &a, const Symbol &b) { return a.join(icicle_add_symbols, b); }
  friend Symbol operator-(const Symbol &a, const Symbol &b) { return a.join(icicle_sub_symbols, b); }
  friend Symbol operator*(const Symbol &a, const Symbol &b) { return a.join(icicle_multiply_symbols, b); }
  /// The inverse, 0 of 0.
  Symbol inverse() const {
    icicle_handle_t result = nullptr;
    check(icicle_inverse_symbol(field_, raw_, &result));
    return Symbol(field_, result);
  }
  /// Free every symbol that this thread made since it last made a program.
  static void release_all() { icicle_release_symbols(); }
  icicle_handle_t raw() const noexcept { return raw_; }

 private:
  using Join = icicle_error_t (*)(std::int32_t, icicle_handle_t, icicle_handle_t, icicle_handle_t *);
  Symbol(icicle_field_t field, icicle_handle_t raw) : field_(field), raw_(raw) {}
  static icicle_handle_t made(icicle_handle_t handle) {
    if (!handle) check_last();
    return handle;
  }
  Symbol join(Join join, const Symbol &other) const {
    icicle_handle_t result = nullptr;
    check(join(field_, raw_, other.raw_, &result));
    return Symbol(field_, result);
  }
  icicle_field_t field_;
  icicle_handle_t raw_;
};

/// The programs that the library holds ready; the result goes to the last vector.
enum class Predefined { kAbMinusC = 0, kEqTimesAbMinusC = 1 };

/// A compiled program.
class Program {
 public:
  /// The program whose `i`-th parameter becomes `parameters[i]`. Frees this thread's symbols.
  Program(icicle_field_t field, const std::vector<Symbol> &parameters)
      : Program(field, parameters, icicle_generate_program) {}
  /// As the constructor, the last parameter being a value that is returned.
  static Program returning(icicle_field_t field, const std::vector<Symbol> &parameters) {
    return Program(field, parameters, icicle_generate_returning_value_program);
  }
  static Program predefined(icicle_field_t field, Predefined which) {
    return Program(field, icicle_create_predefined_program(field, static_cast<int>(which)));
  }
  static Program predefined_returning(icicle_field_t field, Predefined which) {
    return Program(field, icicle_create_predefined_returning_value_program(field, static_cast<int>(which)));
  }
  ~Program() { (void)delete_program(raw_); }
  Program(Program &&other) noexcept : field_(other.field_), raw_(std::exchange(other.raw_, nullptr)) {}
  Program &operator=(Program &&other) noexcept {
    std::swap(field_, other.field_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  /// Execute at each of `n` positions of vectors that are pairwise disjoint; those whose parameters change are overwritten.
  void execute(const std::vector<void *> &vectors, std::uint64_t n,
               const icicle_vec_ops_config_t &config = icicle_vec_ops_config_default()) const {
    check(icicle_execute_program(field_, vectors.data(), vectors.size(), raw_, n, &config));
  }
  icicle_handle_t raw() const noexcept { return raw_; }

 private:
  using Generate = icicle_error_t (*)(std::int32_t, const icicle_handle_t *, int, icicle_handle_t *);
  Program(icicle_field_t field, const std::vector<Symbol> &parameters, Generate generate) : field_(field), raw_(nullptr) {
    std::vector<icicle_handle_t> handles;
    for (const Symbol &symbol : parameters) handles.push_back(symbol.raw());
    check(generate(field, handles.data(), static_cast<int>(handles.size()), &raw_));
  }
  Program(icicle_field_t field, icicle_handle_t raw) : field_(field), raw_(raw) {
    if (!raw_) check_last();
  }
  icicle_field_t field_;
  icicle_handle_t raw_;
};

}  // namespace icicle

#endif  // ICICLE_PROGRAM_HPP
