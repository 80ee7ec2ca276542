// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_program.hpp"

/// kerblab in a folder that each test gets empty. For one
/// suite: it has its SET_UP and TEAR_DOWN.
namespace fs = std::filesystem;

static fs::path g_folder;

SET_UP() { g_folder = kerb::test::make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

static kerb::test::Outcome kerblab(const std::string& arguments) {
  return kerb::test::run_kerblab(g_folder, arguments);
}
