// SPDX-License-Identifier: Apache-2.0
#pragma once

/// test_preparer.cpp's part of unit_gpu_image.
void run_preparer_tests();
