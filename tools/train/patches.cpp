// SPDX-License-Identifier: Apache-2.0
#include "tools/train/patches.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "gpu/image/pyramid.hpp"
#include "gpu/image/to_luv.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

using Plane = ImageView<Space::host, const std::uint8_t>;

int mirrored_index(int i, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  i = (i % period + period) % period;
  return i < size ? i : period - i;
}

/// A picture's planes as the engines scale them; L U V are made here.
struct Source {
  std::vector<std::uint8_t> luv;
  Plane planes[3];
};

Status prepare(const Pixels& picture, Planes planes, Source& source) {
  const hog::Picture<Space::host> view = picture.view();
  if (planes == Planes::grey) {
    source.planes[0] = view.grey;
    return Done{};
  }
  if (view.rgb.count != 3)
    return Error{Errc::invalid_argument, 0, "cut windows", "the picture has no colour"};
  if (planes == Planes::rgb) {
    for (int p = 0; p < 3; ++p) source.planes[p] = view.rgb.plane(p);
    return Done{};
  }
  source.luv.resize(picture.planes.size());
  const PlanesView<Space::host, std::uint8_t> out{
      source.luv.data(), 3, picture.width, picture.height, picture.width, view.rgb.plane_stride};
  if (Status ok = cpu::to_luv(view.rgb, out); !ok) return ok;
  for (int p = 0; p < 3; ++p)
    source.planes[p] = {source.luv.data() + p * out.plane_stride, picture.width, picture.height,
                        picture.width};
  return Done{};
}

void copy_unscaled(const Source& source, int planes, int x, int y, int width, int height,
                   std::uint8_t* out) {
  for (int p = 0; p < planes; ++p) {
    const Plane& in = source.planes[p];
    for (int v = -1; v <= height; ++v) {
      const std::uint8_t* row = in.data + mirrored_index(y + v, in.height) * in.row_stride;
      for (int u = -1; u <= width; ++u) *out++ = row[mirrored_index(x + u, in.width)];
    }
  }
}

/// Levels of a picture's planes, one at a time.
class LevelMaker {
 public:
  LevelMaker(const PyramidPlan& plan, const Source& source, int planes, Workers& workers)
      : plan_{plan},
        source_{source},
        planes_{planes},
        octave_size_{plan.samples - plan.octaves_at()},
        octaves_(octave_size_ * static_cast<std::size_t>(planes)),
        scratch_(cpu::pyramid_scratch(plan)) {
    for (int p = 0; p < planes_; ++p)
      cpu::pyramid_octaves(workers, plan_, source_.planes[p], octaves_of(p));
  }

  void make(const Level& level) {
    plane_ =
        static_cast<std::size_t>(level.row_stride) * static_cast<std::size_t>(level.height + 2);
    samples_.resize(plane_ * 3);
    for (int p = 0; p < planes_; ++p)
      cpu::pyramid_level(plan_, level,
                         cpu::pyramid_source(plan_, level, source_.planes[p], octaves_of(p)),
                         samples_.data() + static_cast<std::size_t>(p) * plane_, scratch_.data());
  }

  /// The window at (x, y) of the level made last, with its rim.
  void copy(const Level& level, int x, int y, int width, int height, std::uint8_t* out) const {
    for (int p = 0; p < planes_; ++p)
      for (int v = 0; v < height + 2; ++v, out += width + 2)
        std::memcpy(out,
                    samples_.data() + static_cast<std::size_t>(p) * plane_ +
                        static_cast<std::ptrdiff_t>(y + v) * level.row_stride + x,
                    static_cast<std::size_t>(width) + 2);
  }

 private:
  std::uint8_t* octaves_of(int plane) {
    return octaves_.data() + static_cast<std::size_t>(plane) * octave_size_;
  }

  const PyramidPlan& plan_;
  const Source& source_;
  int planes_;
  std::size_t octave_size_, plane_ = 0;
  std::vector<std::uint8_t> octaves_, samples_;
  std::vector<std::uint16_t> scratch_;
};

/// How far a crop's window may move from its middle, one way.
int room_of(int crop, int window, int shift) { return std::min(shift, (crop - window) / 2); }

}  // namespace

hog::Picture<Space::host> Patches::view(std::size_t i) const noexcept {
  hog::Picture<Space::host> view;
  view.grey = {plane(i), width_ + 2, height_ + 2, row_stride()};
  if (planes_ == Planes::rgb)
    view.rgb = {plane(i),    3,          width_ + 2,
                height_ + 2, width_ + 2, static_cast<std::ptrdiff_t>(plane_size())};
  return view;
}

std::uint8_t* Patches::add() { return at(grow(1)); }

std::size_t Patches::grow(std::size_t count) {
  const std::size_t first = size();
  samples_.resize(samples_.size() + count * patch_size());
  return first;
}

Status add_window(const Pixels& picture, int x, int y, Patches& out) {
  Source source;
  if (Status ok = prepare(picture, out.planes(), source); !ok) return ok;
  copy_unscaled(source, count_of(out.planes()), x, y, out.window_width(), out.window_height(),
                out.add());
  return Done{};
}

void add_cut_short(const Patches& windows, int rows, bool upper, Patches& out) {
  const std::size_t first = out.grow(windows.size());
  const int height = windows.window_height() + 2;         // with the rim, which is outside as well
  const int edge = upper ? rows + 1 : height - 2 - rows;  // the last row that is inside
  const auto stride = static_cast<std::size_t>(windows.row_stride());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::uint8_t* patch = out.at(first + i);
    std::memcpy(patch, windows.plane(i), windows.patch_size());
    for (int p = 0; p < count_of(windows.planes()); ++p) {
      std::uint8_t* plane = patch + static_cast<std::size_t>(p) * windows.plane_size();
      for (int r = 1; r <= rows + 1; ++r) {
        const int to = upper ? edge - r : edge + r, from = upper ? edge + r : edge - r;
        std::memcpy(plane + static_cast<std::size_t>(to) * stride,
                    plane + static_cast<std::size_t>(from) * stride, stride);
      }
    }
  }
}

Status add_crops(PictureSet& crops, const CropOptions& options, Workers& workers, Patches& out) {
  const int width = out.window_width(), height = out.window_height();
  for (std::size_t i = 0; i < crops.size(); ++i) {
    const Result<std::shared_ptr<const Pixels>> crop = crops.get(i);
    if (!crop) return crop.error();
    const int scaled_width = scaled_side((*crop)->width, options.scale);
    const int scaled_height = scaled_side((*crop)->height, options.scale);
    const int x = (scaled_width - width) / 2, y = (scaled_height - height) / 2;
    std::vector<LevelArea> areas{{options.scale, x, y, width, height}};
    if (options.shift > 0) {
      const int across = room_of(scaled_width, width, options.shift);
      const int down = room_of(scaled_height, height, options.shift);
      const auto add = [&](int dx, int dy) {
        areas.push_back({options.scale, x + dx, y + dy, width, height});
      };
      if (options.copies == 0) {
        if (across > 0) add(-across, 0), add(across, 0);
        if (down > 0) add(0, -down), add(0, down);
      } else if (across > 0 || down > 0) {
        Random random{key_of({i, 0x7368696674U})};
        for (int k = 0; k < options.copies; ++k) {
          const int dx = static_cast<int>(random.below(2 * static_cast<std::size_t>(across) + 1));
          const int dy = static_cast<int>(random.below(2 * static_cast<std::size_t>(down) + 1));
          add(dx - across, dy - down);
        }
      }
    }
    const Result<PyramidPlan> plan =
        plan_pyramid((*crop)->width, (*crop)->height, areas, Scaling::octaves);
    if (!plan) return plan.error();
    for (int turned = 0; turned < (options.mirror ? 2 : 1); ++turned) {
      const Pixels picture = turned == 1 ? mirrored(**crop) : **crop;
      Source source;
      if (Status ok = prepare(picture, out.planes(), source); !ok) return ok;
      LevelMaker maker{*plan, source, count_of(out.planes()), workers};
      for (const Level& level : plan->levels) {
        maker.make(level);
        maker.copy(level, 0, 0, width, height, out.add());
      }
    }
  }
  return Done{};
}

Status add_windows(PictureSet& pictures, const std::vector<WindowRef>& windows,
                   const hog::Geometry& geometry, const std::vector<hog::SearchSettings>& searches,
                   Workers& workers, Patches& out, const std::string& what, Observer& observer) {
  // By picture, search and window, so that each level is made once.
  std::vector<std::size_t> order(windows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return windows[a] < windows[b]; });
  const std::size_t first = out.grow(windows.size());
  const auto bad = [](const char* text) {
    return Error{Errc::invalid_argument, 0, "cut windows", text};
  };
  for (std::size_t from = 0; from < order.size();) {
    const WindowRef& here = windows[order[from]];
    std::size_t to = from;
    while (to < order.size() && windows[order[to]].picture == here.picture &&
           windows[order[to]].search == here.search)
      ++to;
    if (here.picture < 0 || static_cast<std::size_t>(here.picture) >= pictures.size() ||
        here.search < 0 || static_cast<std::size_t>(here.search) >= searches.size())
      return bad("no such picture");
    const Result<std::shared_ptr<const Pixels>> picture =
        pictures.get(static_cast<std::size_t>(here.picture));
    if (!picture) return picture.error();
    Source source;
    if (Status ok = prepare(**picture, out.planes(), source); !ok) return ok;
    const Result<hog::SearchPlan> plan =
        hog::plan_search(geometry, searches[static_cast<std::size_t>(here.search)],
                         (*picture)->width, (*picture)->height);
    if (!plan) return plan.error();
    LevelMaker maker{plan->pyramid, source, count_of(out.planes()), workers};
    std::size_t made = plan->windows.size();  // the level: none yet
    for (; from < to; ++from) {
      const std::int32_t window = windows[order[from]].window;
      if (window < 0 || window >= plan->window_count) return bad("no such window");
      const hog::SearchPlan::Place at = plan->place(window);
      const auto index = static_cast<std::size_t>(at.level);
      const Level& level = plan->pyramid.levels[index];
      if (index != made) {
        maker.make(level);
        made = index;
      }
      maker.copy(level, at.x, at.y, out.window_width(), out.window_height(),
                 out.at(first + order[from]));
    }
    observer.progress(what, to, order.size());
  }
  return Done{};
}

}  // namespace kerb::train
