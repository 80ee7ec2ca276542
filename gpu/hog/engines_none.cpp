// SPDX-License-Identifier: Apache-2.0
// The CUDA engines where there is no CUDA.
#include "gpu/hog/dense_plan.hpp"
#include "gpu/hog/engine.hpp"

namespace kerb::hog {
namespace {
Error without_cuda() {
  return Error{Errc::unsupported, 0, "make engine", "this program was built without CUDA"};
}
}  // namespace

// As those with CUDA have them.
// NOLINTBEGIN(performance-unnecessary-value-param)
Result<std::unique_ptr<Engine>> make_dense_cuda(const Context&, Model, const SearchSettings&, int,
                                                int) {
  return without_cuda();
}
Result<std::unique_ptr<Engine>> dense::make_dense_cuda(const Context&, Model, const SearchSettings&,
                                                       int, int, std::size_t) {
  return without_cuda();
}
Result<std::unique_ptr<Engine>> make_cascade_cuda(const Context&, Model, const SearchSettings&, int,
                                                  int) {
  return without_cuda();
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace kerb::hog
