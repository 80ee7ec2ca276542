// SPDX-License-Identifier: Apache-2.0
// A program without tests, for whose sake the headers of all the others are compiled (cmake/KerbTest.cmake).
