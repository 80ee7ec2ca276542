// SPDX-License-Identifier: Apache-2.0
// Part of the Unity library; a test that links tests/support/end_at_failure.cpp has its own.
#include <stdio.h>

void kerb_flush_output(void);
void kerb_flush_output(void) { fflush(stdout); }
