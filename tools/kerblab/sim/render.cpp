// SPDX-License-Identifier: Apache-2.0
// kerblab sim render: a scenario's pictures, and what is true of each pixel of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tools/files/npy.hpp"
#include "tools/flow/flo_file.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/sim/scenes.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/simulator/render/renderer.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;

struct RenderCommand {
  SceneChoice scenes;
  std::string out, draw = "auto";
  int frames = 0, every = 1, threads = 0;
  double from = 0;
  bool truth = false, boxes = false, time = false;

  [[nodiscard]] bool people() const { return truth || boxes; }
};

Error cannot_write(const fs::path& path) {
  return Error{Errc::io, 0, "sim render", Text<112>{fmt::format("cannot write {}", path.string())}};
}

/// One channel or three as they are; more side by side, grey.
cv::Mat picture_of(const sim::Rendered& r) {
  cv::Mat all{r.height, r.width, CV_8UC(r.channels),
              const_cast<std::uint8_t*>(r.pixels.data())};  // only read
  if (r.channels == 1) return all;
  cv::Mat out;
  if (r.channels == 3) {
    cv::cvtColor(all, out, cv::COLOR_RGB2BGR);
    return out;
  }
  std::vector<cv::Mat> bands;
  cv::split(all, bands);
  cv::hconcat(bands, out);
  return out;
}

Status save(const fs::path& path, const std::string& bytes) {
  std::ofstream file{path, std::ios::binary};
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file ? Status{Done{}} : Status{cannot_write(path)};
}

Status save(const fs::path& path, const cv::Mat& picture) {
  return cv::imwrite(path.string(), picture) ? Status{Done{}} : Status{cannot_write(path)};
}

/// A field of a CSV file, as RFC 4180 has it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string{"\"\""} : std::string{c};
  return out + "\"";
}

/// What is seen of each person, without what they carry: pixels, and their box.
struct Seen {
  int pixels = 0, x0 = 1 << 30, y0 = 1 << 30, x1 = -1, y1 = -1;
};
std::vector<Seen> seen_of(const sim::Rendered& r, std::size_t people) {
  std::vector<Seen> out(people);
  for (int y = 0; y < r.height; ++y)
    for (int x = 0; x < r.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(r.width) +
                            static_cast<std::size_t>(x);
      const int person = r.objects[i] - sim::ObjectId::kFirstPerson;
      if (person < 0 || person >= static_cast<int>(people) || r.carried[i] != 0) continue;
      Seen& s = out[static_cast<std::size_t>(person)];
      ++s.pixels;
      s.x0 = std::min(s.x0, x);
      s.y0 = std::min(s.y0, y);
      s.x1 = std::max(s.x1, x);
      s.y1 = std::max(s.y1, y);
    }
  return out;
}

/// One scenario's pictures, in a folder as MOT has them: img1/000001.png, gt/gt.txt; and beside
/// them depth/, objects/, flow/ and truth.csv.
class RunFolder {
 public:
  RunFolder(const RenderCommand& options, const Context& gpu, const sim::Scenario& scenario,
            fs::path folder)
      : o_{options}, gpu_{gpu}, scenario_{scenario}, world_{scenario}, folder_{std::move(folder)} {}

  Status run(Progress& progress) {
    const sim::RenderOptions options{
        .truth = o_.people(), .threads = o_.threads > 0 ? o_.threads : 2, .gpu = &gpu_};
    sim::Renderer renderer{scenario_, options};
    std::error_code failed;
    const std::vector<const char*> folders =
        o_.truth      ? std::vector<const char*>{"img1", "gt", "depth", "objects", "flow"}
        : o_.people() ? std::vector<const char*>{"img1", "gt"}
                      : std::vector<const char*>{"img1"};
    for (const char* name : folders)
      if (!fs::create_directories(folder_ / name, failed)) return cannot_write(folder_ / name);
    const double step = o_.every / scenario_.camera.rate_hz;
    const int all = std::max(1, static_cast<int>((scenario_.seconds - o_.from) / step + 1e-6));
    const int frames = o_.frames > 0 ? std::min(o_.frames, all) : all;
    for (int i = 0; i < frames; ++i) {
      const double t = o_.from + i * step;
      renderer.draw(world_, t, picture_);
      if (i == 0) first_ = renderer.times();
      if (i > 0 || frames == 1) add(renderer.times());
      if (Status ok = save(folder_ / "img1" / number(i, "png"), picture_of(picture_)); !ok)
        return ok;
      if (o_.people()) add_people(renderer, i, t);
      if (o_.truth)
        if (Status ok = write_pixels(renderer, i, t, t + step, i + 1 < frames); !ok) return ok;
      progress.show(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(frames));
    }
    frames_ = frames;
    if (renderer.gpu_error())
      warn("pictures were drawn on the CPU: " + describe(*renderer.gpu_error()));
    if (!o_.people()) return Done{};
    if (Status ok = save(folder_ / "gt" / "gt.txt", mot_); !ok) return ok;
    return save(folder_ / "truth.csv", csv_);
  }

  /// Of the pictures after the first, which also makes people and draws what stands in the sun.
  [[nodiscard]] std::string costs() const {
    const double n = std::max(frames_ - 1, 1) / 1000.0;
    return fmt::format(
        "{}: {:.0f} ms of core time per picture: placing {:.0f}, shadows {:.0f}, sorting {:.0f}, "
        "shading {:.0f}, camera {:.0f}, truth {:.0f}; first picture {:.0f}\n",
        scenario_.name, all_of(sum_) / n, sum_.place / n, sum_.shadows / n, sum_.bin / n,
        sum_.shade / n, sum_.develop / n, sum_.truth / n, 1000 * all_of(first_));
  }

 private:
  static std::string number(int i, const char* extension) {
    return fmt::format("{:06}.{}", i + 1, extension);
  }

  static double all_of(const sim::Renderer::Times& t) {
    return t.place + t.shadows + t.bin + t.shade + t.develop + t.truth;
  }

  void add(const sim::Renderer::Times& t) {
    sum_.place += t.place;
    sum_.shadows += t.shadows;
    sum_.bin += t.bin;
    sum_.shade += t.shade;
    sum_.develop += t.develop;
    sum_.truth += t.truth;
  }

  /// A line for each person in the picture, in both files.
  void add_people(sim::Renderer& renderer, int i, double t) {
    if (csv_.empty())
      csv_ =
          "frame,t,person,name,x,y,w,h,visible,seen_x,seen_y,seen_w,seen_h,distance_m,ahead_m,"
          "left_m,vx_mps,vy_mps,ttc_s\n";
    sim::Moment now;
    world_.at(t, now);
    std::vector<sim::PersonTruth> truth;
    world_.truth(now, truth);
    const std::vector<Seen> seen = seen_of(picture_, scenario_.people.size());
    for (std::size_t p = 0; p < seen.size(); ++p) {
      const sim::Renderer::Outline box = renderer.outline(world_, static_cast<int>(p), t);
      const Seen& s = seen[p];
      if (box.pixels < 1 || box.x1 < 0 || box.y1 < 0 || box.x0 > picture_.width ||
          box.y0 > picture_.height)
        continue;
      const double visible = std::min(1.0, s.pixels / box.pixels);
      mot_ +=
          fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.2f},{},1,{:.3f}\n", i + 1, p + 1, box.x0,
                      box.y0, box.x1 - box.x0, box.y1 - box.y0, visible > 0.05 ? 1 : 0, visible);
      csv_ += fmt::format("{},{:.4f},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.3f},", i + 1, t, p + 1,
                          csv_field(scenario_.people[p].name), box.x0, box.y0, box.x1 - box.x0,
                          box.y1 - box.y0, visible);
      csv_ += s.pixels > 0
                  ? fmt::format("{},{},{},{},", s.x0, s.y0, s.x1 - s.x0 + 1, s.y1 - s.y0 + 1)
                  : ",,,,";
      csv_ += fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{}\n", truth[p].distance,
                          truth[p].ahead, truth[p].left, truth[p].relative.x, truth[p].relative.y,
                          truth[p].ttc ? fmt::format("{:.3f}", *truth[p].ttc) : "");
    }
  }

  Status write_pixels(sim::Renderer& renderer, int i, double t, double next, bool has_next) {
    if (Status ok = save(folder_ / "depth" / number(i, "npy"),
                         files::to_npy(picture_.depth, {static_cast<std::size_t>(picture_.height),
                                                        static_cast<std::size_t>(picture_.width)}));
        !ok)
      return ok;
    const cv::Mat objects{picture_.height, picture_.width, CV_16UC1, picture_.objects.data()};
    if (Status ok = save(folder_ / "objects" / number(i, "png"), objects); !ok) return ok;
    if (!has_next) return Done{};
    renderer.flow(world_, t, next, moved_);
    Field field{moved_.width, moved_.height};
    field.u = moved_.flow_u;
    field.v = moved_.flow_v;
    return save(folder_ / "flow" / number(i, "flo"), to_flo(field));
  }

  const RenderCommand& o_;
  const Context& gpu_;
  const sim::Scenario& scenario_;
  sim::World world_;
  fs::path folder_;
  sim::Rendered picture_, moved_;
  sim::Renderer::Times sum_, first_;
  int frames_ = 0;
  std::string mot_, csv_;
};

std::string folder_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.' &&
        c != '@')
      c = '_';
  return name.empty() || name.front() == '.' ? "scenario" + name : name;
}

int render(const RenderCommand& o) {
  const std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes) return kBadInput;
  std::error_code failed;
  struct Job {
    const sim::Scenario* scenario;
    fs::path folder;
  };
  std::vector<Job> jobs;
  for (const SceneSet& set : scenes->sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios) {
      const fs::path folder = fs::path{o.out} / folder_name(scenario.name);
      const bool twice =
          std::any_of(jobs.begin(), jobs.end(), [&](const Job& j) { return j.folder == folder; });
      if (fs::exists(folder, failed) || twice)
        return fail(fmt::format("{} already exists", folder.string()));
      if (o.from >= scenario.seconds)
        return fail(fmt::format("--from {} is after the end of {} ({} s)", o.from, scenario.name,
                                scenario.seconds));
      jobs.push_back({&scenario, folder});
    }
  BackendChoice where = BackendChoice::automatic;
  parse(o.draw, where);
  const Result<Context> gpu = Context::create(where);
  if (!gpu) return fail("--draw " + o.draw + ": " + describe(gpu.error()));
  fs::create_directories(o.out, failed);
  if (!fs::is_directory(o.out, failed)) return fail(cannot_write(o.out));
  const SystemClock clock;
  for (const Job& job : jobs) {
    // Under a hidden name until all of it is there.
    const fs::path hidden = fs::path{o.out} / ("." + job.folder.filename().string() + ".part");
    fs::remove_all(hidden, failed);
    Progress progress{clock, job.scenario->name};
    RunFolder folder{o, *gpu, *job.scenario, hidden};
    Status done = folder.run(progress);
    if (done) {
      fs::rename(hidden, job.folder, failed);
      if (failed) done = cannot_write(job.folder);
    }
    if (!done) {
      fs::remove_all(hidden, failed);
      return fail(done.error());
    }
    progress.clear();
    if (o.time) fmt::print("{}", folder.costs());
  }
  return 0;
}

}  // namespace

void add_sim_render(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("render", "Render the pictures of scenarios, with ground truth");
  command->footer(
      "Writes DIR/NAME/img1/000001.png ... for each run. --truth also writes, in formats that "
      "kerblab\n"
      "eval reads: gt/gt.txt (MOT: boxes of complete people, and the visible share of each), "
      "truth.csv\n"
      "(distance, velocity, time to collision), depth/*.npy (metres along the optical axis),\n"
      "objects/*.png (16 bits: 0 surroundings, 1.. people, 16384.. things) and flow/*.flo (to the "
      "next\n"
      "picture). Cameras with several bands write their bands side by side.\n"
      "Examples:\n"
      "  kerblab sim render my-street.toml --out pictures --truth\n"
      "  kerblab sim render --suite euroncap --only CPNA --out pictures --every 10\n"
      "  kerblab eval detector --images pictures/NAME/img1 --truth pictures/NAME \\\n"
      "      --truth-min-visible 0.4");
  const auto o = std::make_shared<RenderCommand>();
  add_scene_options(*command, o->scenes);
  command->add_option("--out", o->out, "Output folder; each run gets a folder in it")
      ->required()
      ->check(not_empty);
  command->add_option("--frames", o->frames, "Most pictures per run; 0: to the end")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--every", o->every, "Render only every Nth frame of the camera")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--from", o->from, "Start at this time of the scenario, s")
      ->check(between(0, 1e6));
  command->add_flag("--truth", o->truth, "Also write the ground truth of each pixel and person");
  command->add_flag("--boxes", o->boxes, "Of the ground truth, write only gt/gt.txt and truth.csv");
  command->add_flag("--time", o->time, "Print the core time of each stage");
  add_draw_option(*command, o->draw);
  command->add_option("--threads", o->threads, "Number of threads; 0: two")
      ->check(CLI::Range(0, 1024));
  run_when_chosen(*command, action, [o] { return render(*o); });
}

}  // namespace kerb::lab
