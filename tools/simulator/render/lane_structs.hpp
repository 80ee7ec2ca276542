// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>

#include "tools/simulator/render/vecf.hpp"

/// Lanes as plain structures, for compilers without vectors (nvcc) and for sources that work on one
/// pixel at a time: the same operations, in the same order, as of the vectors of vecf.hpp and
/// lanes.hpp. Only for sources with KERB_ONE_LANE, in which F4 is another type: such a source must
/// not include a header that has F4 in its classes.
#if !defined(KERB_ONE_LANE)
#error "for sources with KERB_ONE_LANE"
#endif
namespace kerb::sim {

#define KERB_LANES_OPERATOR(op)                                                         \
  friend KERB_BOTH inline Lanes operator op(const Lanes& a, const Lanes& b) {           \
    Lanes out;                                                                          \
    for (int i = 0; i < N; ++i) out.v[i] = static_cast<T>(a.v[i] op b.v[i]);            \
    return out;                                                                         \
  }                                                                                     \
  friend KERB_BOTH inline Lanes operator op(T a, const Lanes& b) { return of(a) op b; } \
  friend KERB_BOTH inline Lanes operator op(const Lanes& a, T b) { return a op of(b); }
#define KERB_LANES_COMPARE(op)                                                                 \
  friend KERB_BOTH inline Lanes<std::int32_t, N> operator op(const Lanes& a, const Lanes& b) { \
    Lanes<std::int32_t, N> out;                                                                \
    for (int i = 0; i < N; ++i) out.v[i] = a.v[i] op b.v[i] ? -1 : 0;                          \
    return out;                                                                                \
  }                                                                                            \
  friend KERB_BOTH inline Lanes<std::int32_t, N> operator op(const Lanes& a, T b) {            \
    return a op of(b);                                                                         \
  }

/// N numbers. True is -1 in a comparison's lane.
template <typename T, int N>
struct alignas(sizeof(T) * N) Lanes {
  T v[N];
  KERB_BOTH T& operator[](int i) { return v[i]; }
  KERB_BOTH const T& operator[](int i) const { return v[i]; }
  KERB_BOTH static Lanes of(T x) {
    Lanes out;
    for (int i = 0; i < N; ++i) out.v[i] = x;
    return out;
  }
  KERB_LANES_OPERATOR(+)
  KERB_LANES_OPERATOR(-)
  KERB_LANES_OPERATOR(*)
  KERB_LANES_OPERATOR(/)
  KERB_LANES_OPERATOR(&)
  KERB_LANES_OPERATOR(|)
  KERB_LANES_OPERATOR(^)
  KERB_LANES_OPERATOR(<<)
  KERB_LANES_OPERATOR(>>)
  KERB_LANES_COMPARE(<)
  KERB_LANES_COMPARE(<=)
  KERB_LANES_COMPARE(>)
  KERB_LANES_COMPARE(>=)
  KERB_LANES_COMPARE(!=)
  friend KERB_BOTH inline Lanes operator-(const Lanes& a) {
    Lanes out;
    for (int i = 0; i < N; ++i) out.v[i] = -a.v[i];
    return out;
  }
  template <typename U>
  KERB_BOTH Lanes& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <typename U>
  KERB_BOTH Lanes& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <typename U>
  KERB_BOTH Lanes& operator^=(const U& b) {
    return *this = *this ^ b;
  }
};
#undef KERB_LANES_OPERATOR
#undef KERB_LANES_COMPARE

/// Each lane converted; and the same bits as another type.
template <typename To, typename From, int N>
KERB_BOTH inline Lanes<To, N> converted(const Lanes<From, N>& x) {
  Lanes<To, N> out;
  for (int i = 0; i < N; ++i) out.v[i] = static_cast<To>(x.v[i]);
  return out;
}
template <typename To, typename From, int N>
KERB_BOTH inline Lanes<To, N> same_bits(const Lanes<From, N>& x) {
  static_assert(sizeof(To) == sizeof(From));
  Lanes<To, N> out;
  std::memcpy(&out, &x, sizeof out);
  return out;
}
template <int N>
KERB_BOTH inline Lanes<std::int32_t, N> truncated(const Lanes<float, N>& x) {
  Lanes<std::int32_t, N> out;
  for (int i = 0; i < N; ++i) out.v[i] = i32(x.v[i]);
  return out;
}
template <typename T, int N>
KERB_BOTH inline Lanes<T, N> pick(const Lanes<std::int32_t, N>& mask, const Lanes<T, N>& yes,
                                  const Lanes<T, N>& no) {
  Lanes<T, N> out;
  for (int i = 0; i < N; ++i) out.v[i] = mask.v[i] != 0 ? yes.v[i] : no.v[i];
  return out;
}

namespace {

using kerb::sim::floor_int;  // beside that of four

// As vecf.hpp has them.
using F4 = Lanes<float, 4>;
using I4 = Lanes<std::int32_t, 4>;
using U4 = Lanes<std::uint32_t, 4>;
KERB_BOTH inline bool any(I4 x) noexcept { return (x[0] | x[1] | x[2] | x[3]) != 0; }
KERB_BOTH inline F4 all(float x) noexcept { return F4::of(x); }
KERB_BOTH inline I4 all(std::int32_t x) noexcept { return I4::of(x); }
KERB_BOTH inline U4 all(std::uint32_t x) noexcept { return U4::of(x); }
KERB_BOTH inline F4 least(F4 a, F4 b) noexcept { return pick(a < b, a, b); }
KERB_BOTH inline F4 most(F4 a, F4 b) noexcept { return pick(a > b, a, b); }
KERB_BOTH inline F4 root(F4 x) noexcept {
  return F4{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}
KERB_BOTH inline F4 floats_of(I4 x) noexcept { return converted<float>(x); }
KERB_BOTH inline F4 floats_of(U4 x) noexcept { return converted<float>(x); }
KERB_BOTH inline U4 words_of(F4 x) noexcept { return converted<std::uint32_t>(x); }
KERB_BOTH inline I4 floor_int(F4 x) noexcept {
  const I4 i = truncated(x);
  return i + (x < floats_of(i));
}

}  // namespace
}  // namespace kerb::sim
