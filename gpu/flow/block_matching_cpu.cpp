// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/block_matching_cpu.hpp"

namespace kerb::flow::bm {
namespace {

constexpr const char* kWhere = "block matching";

}  // namespace

OnCpu::OnCpu(Workers& workers, Plan plan)
    : workers_{workers}, plan_{std::move(plan)}, sums_(plan_.sums), places_(plan_.levels.size()) {
  for (std::vector<Byte>& picture : pictures_) picture.resize(plan_.samples);
  for (std::vector<float>* field : {&raw_u_, &raw_v_, &u_, &v_, &correlation_})
    field->resize(plan_.blocks);
  for (std::vector<Byte>* map : {&poor_, &quality_, &need_raw_, &need_, &need_scratch_})
    map->resize(plan_.blocks);
  for (std::vector<std::int32_t>* parts : {&parts_x_, &parts_y_})
    parts->resize(index(plan_.levels[0].columns) * index(plan_.levels[0].rows));
  // One row of a level, rims and more than that, in 32-bit numbers, for each of four.
  scratch_row_ = index(plan_.width + 4 * kRim + 4 * kAlign);
  scratch_.resize(scratch_row_ * 4 * index(workers_.count()));
}

Status OnCpu::run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
                  const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
  if (Status ok = check_pair(kWhere, plan_.width, plan_.height, previous, next, mask, out); !ok)
    return ok;
  masked_ = mask.data != nullptr;
  if (masked_) find_needed(mask);
  make_pictures(previous, next);
  for (int i = static_cast<int>(plan_.levels.size()) - 1; i >= 0; --i) {
    match(i);
    median(i);
  }
  spread(mask, out);
  return Done{};
}

Status OnCpu::run(const Picture<Space::device>& /*previous*/,
                  const Picture<Space::device>& /*next*/, const Mask<Space::device>& /*mask*/,
                  const FieldView<Space::device>& /*out*/) {
  return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
}

std::size_t OnCpu::bytes() const noexcept {
  return 2 * plan_.samples + plan_.sums * sizeof(Sums) + plan_.blocks * (5 * sizeof(float) + 5) +
         (scratch_.size() + 2 * parts_x_.size()) * sizeof(std::int32_t);
}

Result<std::unique_ptr<Estimator>> make_cpu(Workers& workers, Plan plan) {
  return std::unique_ptr<Estimator>{std::make_unique<OnCpu>(workers, std::move(plan))};
}

}  // namespace kerb::flow::bm
