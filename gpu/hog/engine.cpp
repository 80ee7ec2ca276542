// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/engine.hpp"

#include "gpu/memory/no_memory.hpp"

namespace kerb::hog {

bool needs_colour(const Model& model) noexcept {
  if (const auto* dense = std::get_if<DenseModel>(&model.kind)) return dense->colour;
  return std::get<CascadeModel>(model.kind).channels.colour;
}

Result<std::unique_ptr<Engine>> make_engine(const Context& context, Workers& workers, Model model,
                                            const SearchSettings& settings, int width, int height) {
  return or_no_memory("make engine", [&]() -> Result<std::unique_ptr<Engine>> {
    const bool dense = std::holds_alternative<DenseModel>(model.kind);
    if (context.backend() == Backend::cuda) {
      return dense ? make_dense_cuda(context, std::move(model), settings, width, height)
                   : make_cascade_cuda(context, std::move(model), settings, width, height);
    }
    return dense ? make_dense_cpu(workers, std::move(model), settings, width, height)
                 : make_cascade_cpu(workers, std::move(model), settings, width, height);
  });
}

}  // namespace kerb::hog
