// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Medians of 5 x 5 vectors along a row, on the CPU. For gpu/flow alone.
namespace kerb::flow::lk {

inline void order(std::int16_t& a, std::int16_t& b) {
  const std::int16_t low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

/// The median of five columns that are each in order. With the rows put in order too, everything
/// left of and above the three middle diagonals is too small to be it, the rest beyond them too
/// large; so are, of the upper diagonal, all but its greatest, of the lower one all but its least.
inline std::int16_t median_of_sorted(const std::int16_t* r0, const std::int16_t* r1,
                                     const std::int16_t* r2, const std::int16_t* r3,
                                     const std::int16_t* r4) {
  const auto sort5 = [](std::int16_t(&v)[5]) {
    order(v[0], v[1]);
    order(v[3], v[4]);
    order(v[2], v[4]);
    order(v[2], v[3]);
    order(v[1], v[4]);
    order(v[0], v[3]);
    order(v[0], v[2]);
    order(v[1], v[3]);
    order(v[1], v[2]);
  };
  const auto lesser = [](std::int16_t x, std::int16_t y) { return x < y ? x : y; };
  const auto greater = [](std::int16_t x, std::int16_t y) { return x < y ? y : x; };
  std::int16_t b[5], c[5], d[5];
  for (int i = 0; i < 5; ++i) {
    b[i] = r1[i];
    c[i] = r2[i];
    d[i] = r3[i];
  }
  sort5(b);
  sort5(c);
  sort5(d);
  // Of the outer rows only two are asked for.
  std::int16_t a0 = r0[0], a1 = r0[1], a2 = r0[2], a3 = r0[3];
  order(a0, a1);
  order(a2, a3);
  const std::int16_t a_top = greater(a1, a3);
  const std::int16_t a_next = greater(lesser(a1, a3), greater(a0, a2));
  const std::int16_t a_greatest = greater(a_top, r0[4]);
  const std::int16_t a_second = greater(a_next, lesser(a_top, r0[4]));
  std::int16_t e0 = r4[0], e1 = r4[1], e2 = r4[2], e3 = r4[3];
  order(e0, e1);
  order(e2, e3);
  const std::int16_t e_low = lesser(e0, e2);
  const std::int16_t e_next = lesser(greater(e0, e2), lesser(e1, e3));
  const std::int16_t e_least = lesser(e_low, r4[4]);
  const std::int16_t e_second = lesser(e_next, greater(e_low, r4[4]));
  const std::int16_t low = greater(greater(a_second, b[2]), greater(c[1], d[0]));
  const std::int16_t high = lesser(lesser(b[4], c[3]), lesser(d[2], e_second));
  // The median of these two and the diagonal between.
  std::int16_t m[5] = {a_greatest, b[3], c[2], d[1], e_least};
  const auto ends = [](std::int16_t* v, int count) {  // least to the front, greatest to the end
    for (int i = 0; i < count / 2; ++i) order(v[i], v[count - 1 - i]);
    for (int i = 1; i < (count + 1) / 2; ++i) order(v[0], v[i]);
    for (int i = count / 2; i < count - 1; ++i) order(v[i], v[count - 1]);
  };
  ends(m, 5);
  std::int16_t n[4] = {m[1], m[2], m[3], low};
  ends(n, 4);
  std::int16_t o[3] = {n[1], n[2], high};
  ends(o, 3);
  return o[1];
}

/// Of `count` pixels of a row, the first at column `first` of five rows, into `out`. Reads two
/// columns more at each side. `sorted` is room for five rows.
template <int kColumns>
void median_row(const std::int16_t* const (&rows)[5], std::int16_t (&sorted)[5][kColumns],
                int first, int count, std::int16_t* out) {
  const std::int16_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
  std::int16_t *s0 = sorted[0], *s1 = sorted[1], *s2 = sorted[2], *s3 = sorted[3], *s4 = sorted[4];
#pragma GCC ivdep
  for (int i = first - 2; i < first + count + 2; ++i) {
    std::int16_t a = r0[i], b = r1[i], c = r2[i], d = r3[i], e = r4[i];
    order(a, b);
    order(d, e);
    order(c, e);
    order(c, d);
    order(b, e);
    order(a, d);
    order(a, c);
    order(b, d);
    order(b, c);
    s0[i] = a;
    s1[i] = b;
    s2[i] = c;
    s3[i] = d;
    s4[i] = e;
  }
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const int at = first + i - 2;
    out[i] = median_of_sorted(s0 + at, s1 + at, s2 + at, s3 + at, s4 + at);
  }
}

}  // namespace kerb::flow::lk
