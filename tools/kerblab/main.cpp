// SPDX-License-Identifier: Apache-2.0
// The program on the desk: command line to exit code. Each sub-command has a file of its own.
#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "drivers/replay/opencv.hpp"
#include "firmware/main/version.hpp"
#include "tools/kerblab/command.hpp"

int main(int argc, char** argv) {
  using namespace kerb;
  replay::quieten_opencv();
  CLI::App app{"The workbench of Kerbwatch: detect, convert, measure."};
  app.footer(
      "Examples:\n  kerblab detect --draw drawn --json found.jsonl street.jpg\n"
      "  kerblab model info people.kwm\n  kerblab bench hog --json bench.json\n"
      "kerblab COMMAND --help explains each.\n"
      "Exit codes: 0 fine, 2 bad input (one line says which; nothing is left half-written).");
  app.set_version_flag("--version", std::string{"kerblab "} + kVersion);
  app.require_subcommand(1);
  lab::Action action;
  lab::add_detect(app, action);
  lab::add_model(app, action);
  lab::add_bench(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or what is wrong
    return code == 0 ? 0 : lab::kBadInput;
  }
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return lab::fail("not enough memory for a picture of this size");
  } catch (const std::exception& error) {  // OpenCV's own troubles
    return lab::fail(error.what());
  }
}
