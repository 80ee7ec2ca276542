// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "gpu/hog/dense_math.hpp"
#include "gpu/hog/engine.hpp"

/// How a dense search is laid out, the same for both backends. For gpu/hog alone.
namespace kerb::hog::dense {

/// Blocks 8 pixels apart, and the windows whose blocks these are. A level has one sheet where the
/// stride is a multiple of 8; up to 8 x 8 of them, shifted against each other, otherwise. Blocks
/// lie in memory as [block row][bin][block column][lane].
struct Sheet {
  int level = 0;
  int x = 0, y = 0;                ///< pixel of the level's area where block (0, 0) begins
  int columns = 0, rows = 0;       ///< blocks
  int first_bx = 0, first_by = 0;  ///< corner block of the sheet's first window
  int step = 1;                    ///< blocks from window to window, both ways
  int window_columns = 0, window_rows = 0;
  int first_window = 0, window_step = 1, window_pitch = 0;  ///< numbers: from column to column,
                                                            ///< from row to row
  std::size_t offset = 0;  ///< of its blocks, in values; from the start of its round

  [[nodiscard]] std::size_t values() const noexcept {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) *
           DenseModel::kBlockValues;
  }
};

/// Sheets whose blocks are in memory at one time.
struct Round {
  int first_sheet = 0, sheets = 0;
};

struct DensePlan {
  std::vector<Sheet> sheets;  ///< by level; of a level, by y and then x
  std::vector<Round> rounds;
  std::size_t values = 0;  ///< the largest round's
  int grid = 8;            ///< gcd of stride and 8: sheets begin on multiples of it
};

/// A round holds as many sheets as fit `round_values`, one at least.
[[nodiscard]] DensePlan plan_dense(const DenseModel& model, const SearchPlan& search,
                                   std::size_t round_values);

/// The makers of engine.hpp with rounds of another size. For tests: a real round takes a large
/// picture.
Result<std::unique_ptr<Engine>> make_dense_cpu(Workers& workers, Model model,
                                               const SearchSettings& settings, int width,
                                               int height, std::size_t round_values);
Result<std::unique_ptr<Engine>> make_dense_cuda(const Context& context, Model model,
                                                const SearchSettings& settings, int width,
                                                int height, std::size_t round_values);

/// The model's weights as windows are added up: [block row][bin][block column][lane].
[[nodiscard]] std::vector<float> ordered_weights(const DenseModel& model);

/// The same bits on every machine: no library's exp().
[[nodiscard]] Shares shares_of(float sigma) noexcept;

/// Square roots of 0..255, or 0..255.
void fill_samples(bool gamma, float (&samples)[256]) noexcept;

/// What a search does, whatever the picture: every block of every window.
[[nodiscard]] Work work_of(const DenseModel& model, const SearchPlan& search);

/// A picture's shape, for search(). The Space does not matter.
template <Space S>
Status check_picture(const Picture<S>& picture, int width, int height, const DenseModel& model) {
  const auto& grey = picture.grey;
  if (grey.data == nullptr || grey.width != width || grey.height != height ||
      grey.row_stride < width)
    return Error{Errc::invalid_argument, 0, "dense search", "the picture is of another size"};
  const auto& rgb = picture.rgb;
  if (model.colour && rgb.count == 0)
    return Error{Errc::invalid_argument, 0, "dense search", "the model needs colour"};
  if (model.kind != DenseKind::rhog || rgb.count == 0) return Done{};
  if (rgb.count != 3 || rgb.data == nullptr || rgb.width != width || rgb.height != height ||
      rgb.row_stride < width)
    return Error{Errc::invalid_argument, 0, "dense search",
                 "colour must be three planes of the picture's size"};
  return Done{};
}

}  // namespace kerb::hog::dense
