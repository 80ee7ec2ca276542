// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/tools/kerblab_program.hpp"

/// kerblab in a folder that each test gets empty. Defines setUp() and tearDown(): for one source of
/// a program.
namespace fs = std::filesystem;

static fs::path g_folder;

void setUp() { g_folder = kerb::test::make_temp_folder(); }
void tearDown() { fs::remove_all(g_folder); }

static kerb::test::Outcome kerblab(const std::string& arguments) {
  return kerb::test::run_kerblab(g_folder, arguments);
}
