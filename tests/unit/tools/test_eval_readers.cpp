// SPDX-License-Identifier: Apache-2.0
// Truth and detections as files have them, and which picture a name means.
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/eval/detections.hpp"
#include "tools/eval/mot.hpp"
#include "tools/eval/names.hpp"
#include "tools/eval/truth.hpp"

namespace {

using namespace kerb;
using namespace kerb::eval;

template <typename T>
void expect_fault(const Result<T>& result, const std::string& part) {
  if (result) TEST_FAIL_MESSAGE(("expected an error with " + part).c_str());
  const std::string text = describe(result.error());
  TEST_ASSERT_TRUE_MESSAGE(text.find(part) != std::string::npos, (text + " lacks " + part).c_str());
}

void expect_box(const Box& box, double x, double y, double w, double h) {
  TEST_ASSERT_EQUAL_DOUBLE(x, box.x);
  TEST_ASSERT_EQUAL_DOUBLE(y, box.y);
  TEST_ASSERT_EQUAL_DOUBLE(w, box.w);
  TEST_ASSERT_EQUAL_DOUBLE(h, box.h);
}

// --- CSV -----------------------------------------------------------------------------------

TEST(csv_has_a_box_a_line) {
  const auto truth = parse_csv_truth(
      "\xEF\xBB\xBFimage,x,y,w,h\r\n"
      "a/1.jpg,1,2,3,4\r\n"
      "\n"
      "# a comment\n"
      "b.png, 1.5 , -2 ,+3,4e1,1\n"
      "a/1.jpg,5,6,7,8,0\n"
      "nobody.jpg\n"
      "nobody too.jpg,,,,",
      "t.csv");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(4, int(truth->size()));
  TEST_ASSERT_EQUAL_STRING("a/1.jpg", (*truth)[0].name.c_str());
  TEST_ASSERT_EQUAL_INT(2, int((*truth)[0].boxes.size()));
  expect_box((*truth)[0].boxes[1].box, 5, 6, 7, 8);
  TEST_ASSERT_FALSE((*truth)[0].boxes[1].ignore);
  expect_box((*truth)[1].boxes[0].box, 1.5, -2, 3, 40);
  TEST_ASSERT_TRUE((*truth)[1].boxes[0].ignore);
  TEST_ASSERT_EQUAL_STRING("nobody too.jpg", (*truth)[3].name.c_str());
  TEST_ASSERT_EQUAL_INT(0, int((*truth)[3].boxes.size()));
}

TEST(csv_without_a_header_loses_no_line) {
  const auto truth = parse_csv_truth("a.jpg,1,2,3,4\n", "t.csv");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(1, int((*truth)[0].boxes.size()));
}

constexpr const char* kStreet =
    "file,x,y,w,h,class,fill,contrast,near_person\n"
    "a.jpg,1,2,3,40,person,0.6,30,\n"
    "a.jpg,9,2,3,40,person,0.6,4.5,\n"
    "a.jpg,20,2,3,40,person,0.6,,\n"
    "a.jpg,30,2,30,40,cyclist,0.6,50,\n"
    "a.jpg,70,2,8,12,bin,0.9,,0\n"
    "b.jpg,70,2,8,12,pole,0.9,,1\n";

TEST(csv_with_classes_has_people_what_is_ignored_and_things) {
  const auto truth = parse_csv_truth(kStreet, "t.csv");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(2, int(truth->size()));
  const TruthPicture& a = (*truth)[0];
  TEST_ASSERT_EQUAL_INT(4, int(a.boxes.size()));
  for (int i = 0; i < 4; ++i) TEST_ASSERT_EQUAL_INT(i == 3, a.boxes[std::size_t(i)].ignore);
  TEST_ASSERT_EQUAL_INT(1, int(a.things.size()));
  TEST_ASSERT_EQUAL_STRING("bin", a.things[0].kind.c_str());
  expect_box(a.things[0].box, 70, 2, 8, 12);
  TEST_ASSERT_EQUAL_INT(0, int((*truth)[1].boxes.size()));
  TEST_ASSERT_EQUAL_STRING("pole", (*truth)[1].things[0].kind.c_str());
}

TEST(rules_choose_who_is_to_be_found) {
  TruthRules rules;
  rules.people = {"person", "cyclist"};
  rules.ignored = {"bin"};
  rules.least = {{"contrast", 5}, {"fill", 0.5}};
  const auto truth = parse_csv_truth(kStreet, "t.csv", rules);
  TEST_ASSERT_OK(truth);
  const TruthPicture& a = (*truth)[0];
  TEST_ASSERT_EQUAL_INT(0, int(a.things.size()));
  TEST_ASSERT_EQUAL_INT(5, int(a.boxes.size()));
  const bool ignored[] = {false, true, true, false, true};
  for (std::size_t i = 0; i < 5; ++i) TEST_ASSERT_EQUAL_INT(ignored[i], a.boxes[i].ignore);
}

TEST(columns_may_be_in_any_order_and_a_line_shorter_than_its_header) {
  const auto truth = parse_csv_truth(
      "image,x,y,w,h,ignore,class\n"
      "a.jpg,1,2,3,4,1,person\n"
      "a.jpg,1,2,3,4,,person\n"
      "c.jpg\n",
      "t.csv");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_TRUE((*truth)[0].boxes[0].ignore);
  TEST_ASSERT_FALSE((*truth)[0].boxes[1].ignore);
  TEST_ASSERT_EQUAL_INT(0, int((*truth)[1].boxes.size()));
}

TEST(a_column_that_a_rule_needs_must_be_there) {
  TruthRules rules;
  rules.least = {{"contrast_thermal", 5}};
  expect_fault(parse_csv_truth(kStreet, "t.csv", rules), "t.csv:1: no column 'contrast_thermal'");
  expect_fault(parse_csv_truth("a.jpg,1,2,3,4\n", "t.csv", rules), "no column");
  rules.least = {{"class", 1}};
  expect_fault(parse_csv_truth(kStreet, "t.csv", rules), "t.csv:2: 'person' is not a number");
}

struct Fault {
  const char *text, *part;
};

TEST(a_csv_line_that_cannot_be_read_is_named) {
  for (const Fault& f : {Fault{"a.jpg,1,2,3,4\nb.jpg,1,2,3\n", "t.csv:2: expected image"},
                         Fault{"a.jpg,1,2,3,4,0,9\n", "t.csv:1"},
                         Fault{"image,x,y,w,h\n\na.jpg,1,2,3,four\n", "t.csv:3: 'four'"},
                         Fault{"a.jpg,1,2,3,nan\n", "'nan'"}, Fault{"a.jpg,1,2,3,1e99\n", "'1e99'"},
                         Fault{"a.jpg,1,2,,4\n", "''"}, Fault{"a.jpg,1,2,0,4\n", "greater than 0"},
                         Fault{"a.jpg,1,2,3,-4\n", "greater than 0"},
                         Fault{"a.jpg,1,2,3,4,yes\n", "'yes': ignore must be 0 or 1"},
                         Fault{",1,2,3,4\n", "name of the picture is missing"},
                         Fault{"image,x,y,w\n", "t.csv:1: a header must begin with"},
                         Fault{"image,x,y,h,w\n", "t.csv:1: a header must begin with"},
                         Fault{"f,x,y,w,h,class\na.jpg,1,2,3,4\n", "t.csv:2: the class is missing"},
                         Fault{"f,x,y,w,h,class\na,1,2,3,4,bin,5\n", "expected f,x,y,w,h,class"},
                         Fault{"image,x,y,w,h\nimage,x,y,w,h\n", "t.csv:2: 'x'"}})
    expect_fault(parse_csv_truth(f.text, "t.csv"), f.part);
}

TEST(a_long_path_and_a_long_fault_leave_the_line_number_readable) {
  const std::string path = "/" + std::string(300, 'p') + "/truth.csv";
  expect_fault(parse_csv_truth("a.jpg,1,2,3," + std::string(300, '9') + "x\n", path),
               "/truth.csv:1: '9999");
}

// --- PASCAL --------------------------------------------------------------------------------

constexpr const char* kInria =
    "# PASCAL Annotation Version 1.00\n"
    "\n"
    "Image filename : \"Test/pos/crop_000001.png\"\n"
    "Image size (X x Y x C) : 640 x 480 x 3\n"
    "Database : \"The INRIA Rh\xF4ne-Alpes Annotated Person Database\"\n"
    "Objects with ground truth : 2 { \"PASperson\" \"PASperson\" }\n"
    "\n"
    "# Note that there might be other objects in the image\n"
    "# Top left pixel co-ordinates : (0, 0)\n"
    "\n"
    "# Details for object 1 (\"PASperson\")\n"
    "Original label for object 1 \"PASperson\" : \"UprightPerson\"\n"
    "Center point on object 1 \"PASperson\" (X, Y) : (396, 185)\n"
    "Bounding box for object 1 \"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : (333, 116) - (478, "
    "546)\r\n"
    "Bounding box for object 2 \"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : (-3,0)-(10.5,20)\n"
    "Bounding box for object 3 \"PAScar\" (Xmin, Ymin) - (Xmax, Ymax) : (1, 1) - (2, 2)\n";

TEST(pascal_text_as_inria_has_it) {
  const auto picture = parse_pascal_truth(kInria, "annotations/crop_000001.txt");
  TEST_ASSERT_OK(picture);
  TEST_ASSERT_EQUAL_STRING("Test/pos/crop_000001.png", picture->name.c_str());
  TEST_ASSERT_EQUAL_INT(2, int(picture->boxes.size()));  // the car is nobody
  expect_box(picture->boxes[0].box, 333, 116, 145, 430);
  expect_box(picture->boxes[1].box, -3, 0, 13.5, 20);
}

TEST(pascal_text_without_a_picture_is_called_as_its_file) {
  const auto picture = parse_pascal_truth("# PASCAL Annotation Version 1.00\n", "x/street.txt");
  TEST_ASSERT_OK(picture);
  TEST_ASSERT_EQUAL_STRING("street", picture->name.c_str());
  TEST_ASSERT_EQUAL_INT(0, int(picture->boxes.size()));
}

TEST(pascal_text_that_cannot_be_read_is_named) {
  const std::string start =
      "Bounding box for object 1 \"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : ";
  for (const char* corners : {"", "(1, 2) - (3)", "(1, 2) - (3, x)", "(1, 2) - (3, 4) 5",
                              "1, 2, 3, 4", "(1, 2) - (3, nan)", "(1 2) - (3 4)"})
    expect_fault(parse_pascal_truth("\n" + start + corners + "\n", "p.txt"), "p.txt:2: expected");
  expect_fault(parse_pascal_truth(start + "(3, 2) - (1, 4)", "p.txt"), "Xmax");
  expect_fault(parse_pascal_truth("Bounding box for object 1 (1, 2) - (3, 4)", "p.txt"), "p.txt:1");
  expect_fault(parse_pascal_truth("Image filename : street.jpg", "p.txt"), "p.txt:1");
  expect_fault(parse_pascal_truth("class x y w h\n", "p.txt"), "not a PASCAL annotation");
  expect_fault(parse_pascal_truth("", "p.txt"), "not a PASCAL annotation");
}

// --- MOT -----------------------------------------------------------------------------------

TEST(mot_text_of_ten_columns_has_people_and_ignored_ones) {
  const auto truth = parse_mot_truth(
      "2,1,50,191,61,141,1,-5.0036,11.913,0.69979\n"
      "1,2,466.5,139,91,193.68,1,-1,-1,-1\n"
      "1,6,485,145,16.667,55.039,0,-1,-1,-1\n",
      "gt.txt", "KITTI-17/img1");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(2, int(truth->size()));
  TEST_ASSERT_EQUAL_STRING("KITTI-17/img1/000001", (*truth)[0].name.c_str());
  TEST_ASSERT_EQUAL_INT(2, int((*truth)[0].boxes.size()));
  expect_box((*truth)[0].boxes[0].box, 466.5, 139, 91, 193.68);
  TEST_ASSERT_FALSE((*truth)[0].boxes[0].ignore);
  TEST_ASSERT_TRUE((*truth)[0].boxes[1].ignore);
  TEST_ASSERT_EQUAL_STRING("KITTI-17/img1/000002", (*truth)[1].name.c_str());
}

TEST(mot16_has_classes_and_visibility) {
  std::string text;
  for (int kind = 1; kind <= 12; ++kind)
    text += "7," + std::to_string(kind) + "," + std::to_string(kind) + ",0,5,9,1," +
            std::to_string(kind) + ",0.25\n";
  text += "7,13,13,0,5,9,0,1,1\n";       // a pedestrian who does not count
  text += "8,1,688,242,18,14,0,11,1\n";  // nothing but an occluder: a picture without people
  const auto truth = parse_mot_truth(text, "gt.txt", "");
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(2, int(truth->size()));
  const std::vector<TruthBox>& boxes = (*truth)[0].boxes;
  const double kinds[] = {1, 2, 7, 8, 12, 13};
  TEST_ASSERT_EQUAL_INT(6, int(boxes.size()));
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    TEST_ASSERT_EQUAL_DOUBLE(kinds[i], boxes[i].box.x);
    TEST_ASSERT_EQUAL_INT(i == 0 ? 0 : 1, boxes[i].ignore ? 1 : 0);
  }
  TEST_ASSERT_EQUAL_DOUBLE(0.25, boxes[0].visible);
  TEST_ASSERT_EQUAL_INT(0, int((*truth)[1].boxes.size()));
}

TEST(mot_text_that_cannot_be_read_is_named) {
  for (const Fault& f :
       {Fault{"1,1,0,0,5,9,1\n1,1,0,0,5,9\n", "gt.txt:2: expected frame"},
        Fault{"1,1,0,0,5,9,1,1,1,1,1\n", "gt.txt:1"},
        Fault{"1,1,0,0,5,x,1\n", "'x' is not a number"},
        Fault{"1.5,1,0,0,5,9,1\n", "'1.5' is not a frame number"},
        Fault{"-1,1,0,0,5,9,1\n", "not a frame number"},
        Fault{"1000000,1,0,0,5,9,1\n", "not a frame number"},
        Fault{"1,1,0,0,5,0,1\n", "greater than 0"}, Fault{"frame,id,x,y,w,h,conf\n", "'frame'"}})
    expect_fault(parse_mot_truth(f.text, "gt.txt", ""), f.part);
}

// --- files and folders -----------------------------------------------------------------------

TEST(truth_is_told_apart_by_content) {
  const test::TempFolder folder;
  const auto count = [](const Result<std::vector<TruthPicture>>& truth) {
    return truth ? int(truth->size()) : -1;
  };
  TEST_ASSERT_EQUAL_INT(2, count(read_truth(folder.write("a.txt", "a.jpg,1,2,3,4\nb.jpg\n"))));
  TEST_ASSERT_EQUAL_INT(1, count(read_truth(folder.write("b.csv", kInria))));
  const auto mot = read_truth(folder.write("SEQ/gt/gt.txt", "1,1,0,0,5,9,1,-1,-1,-1\n"));
  TEST_ASSERT_EQUAL_INT(1, count(mot));
  TEST_ASSERT_EQUAL_STRING((folder.path() / "SEQ/img1/000001").c_str(), (*mot)[0].name.c_str());
  const auto same = read_truth(folder.at("SEQ"));
  TEST_ASSERT_EQUAL_STRING((*mot)[0].name.c_str(), (*same)[0].name.c_str());
  // Six numbers may be a CSV whose pictures are called by numbers.
  const auto numbered = read_truth(folder.write("n.csv", "1,10,20,30,40,0\n"));
  TEST_ASSERT_OK(numbered);
  TEST_ASSERT_EQUAL_STRING("1", (*numbered)[0].name.c_str());
}

TEST(a_folder_of_pascal_text_has_a_picture_a_file) {
  const test::TempFolder folder;
  folder.write("ann/2.txt", "# PASCAL Annotation Version 1.00\n");
  folder.write("ann/1.txt", kInria);
  folder.write("ann/readme.md", "not truth");
  const auto truth = read_truth(folder.at("ann"));
  TEST_ASSERT_OK(truth);
  TEST_ASSERT_EQUAL_INT(2, int(truth->size()));
  TEST_ASSERT_EQUAL_STRING("Test/pos/crop_000001.png", (*truth)[0].name.c_str());
  TEST_ASSERT_EQUAL_STRING("2", (*truth)[1].name.c_str());
  folder.write("ann/3.txt", "Bounding box for object 1\n");
  expect_fault(read_truth(folder.at("ann")), "ann/3.txt:1: expected");
}

TEST(truth_that_is_not_there_says_so) {
  const test::TempFolder folder;
  expect_fault(read_truth(folder.at("none.csv")), "none.csv: no such file");
  expect_fault(read_truth(folder.path().string()), "no gt/gt.txt and no *.txt");
  expect_fault(read_truth("/dev/null"), "not a regular file");
}

// --- detections --------------------------------------------------------------------------------

TEST(detections_are_kerblab_detects_json_lines) {
  const auto lines = parse_detections(
      R"({"image":"a.jpg","width":9,"height":9,"ms":1.5,"detections":[{"x":1,"y":2.5,"w":3,"h":4,"score":-0.5},{"score":2,"x":-1,"y":0,"w":1,"h":1,"more":[]}]})"
      "\r\n\n"
      R"({"image":"b.jpg","detections":[]})",
      "d.jsonl");
  TEST_ASSERT_OK(lines);
  TEST_ASSERT_EQUAL_INT(2, int(lines->size()));
  TEST_ASSERT_EQUAL_STRING("a.jpg", (*lines)[0].image.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(1.5, *(*lines)[0].ms);
  TEST_ASSERT_EQUAL_INT(2, int((*lines)[0].boxes.size()));
  expect_box((*lines)[0].boxes[0].box, 1, 2.5, 3, 4);
  TEST_ASSERT_EQUAL_DOUBLE(-0.5, (*lines)[0].boxes[0].score);
  TEST_ASSERT_FALSE((*lines)[1].ms.has_value());
}

TEST(detections_that_cannot_be_read_are_named) {
  const std::string good = R"({"image":"a.jpg","detections":[]})"
                           "\n";
  for (const Fault& f :
       {Fault{"{\"image\":", "d.jsonl:2: not a JSON object"}, Fault{"[]", "not a JSON object"},
        Fault{"{}{}", "not a JSON object"}, Fault{R"({"detections":[]})", "\"image\""},
        Fault{R"({"image":7,"detections":[]})", "\"image\""},
        Fault{R"({"image":"","detections":[]})", "\"image\" is empty"},
        Fault{R"({"image":"a"})", "\"detections\""},
        Fault{R"({"image":"a","detections":[1]})", "not an object"},
        Fault{R"({"image":"a","detections":[{"x":1,"y":2,"w":3,"score":1}]})", "\"h\""},
        Fault{R"({"image":"a","detections":[{"x":1,"y":2,"w":3,"h":"4","score":1}]})", "\"h\""},
        Fault{R"({"image":"a","detections":[{"x":1,"y":2,"w":3,"h":4}]})", "\"score\""},
        Fault{R"({"image":"a","detections":[{"x":1,"y":2,"w":3,"h":4,"score":1e999}]})", "JSON"},
        Fault{R"({"image":"a","detections":[{"x":1,"y":2,"w":0,"h":4,"score":1}]})",
              "greater than 0"},
        Fault{R"({"image":"a","detections":[{"x":1e7,"y":2,"w":3,"h":4,"score":1}]})", "\"x\""}})
    expect_fault(parse_detections(good + f.text + "\n", "d.jsonl"), f.part);
  expect_fault(read_detections("/no/such.jsonl"), "no such file");
}

// --- names -------------------------------------------------------------------------------------

std::vector<int> found(const std::vector<std::string>& names,
                       const std::vector<std::string>& pictures) {
  const auto result = find_pictures("test", names, pictures);
  TEST_ASSERT_OK(result);
  return *result;
}

TEST(names_mean_pictures_by_their_ends) {
  const std::vector<std::string> pictures{"/data/a/1.jpg", "/data/b/1.jpg", "/data/b/2.jpg",
                                          "/data/b/x.y.jpg"};
  const std::vector<int> expected{0, 1, 2, -1, 3};
  TEST_ASSERT_TRUE(expected ==
                   found({"a/1.jpg", "./b/../b/1.png", "2", "3.jpg", "x.y.png"}, pictures));
  TEST_ASSERT_TRUE(std::vector<int>{2} == found({"elsewhere/2.PNG"}, pictures));
  TEST_ASSERT_TRUE(std::vector<int>{1} == found({"C:\\data\\b\\1.jpg"}, pictures));
  TEST_ASSERT_TRUE(std::vector<int>{0} == found({"1.jpg"}, {"a/1.jpg", "a/1.png"}));
}

TEST(of_two_names_for_a_picture_the_closer_one_has_it) {
  const std::vector<int> expected{-1, 0, -1};
  TEST_ASSERT_TRUE(expected == found({"b/1.jpg", "a/1.jpg", "c/1.jpg"}, {"/data/a/1.jpg"}));
}

TEST(a_name_in_doubt_is_an_error) {
  expect_fault(find_pictures("test", {"1.jpg"}, {"a/1.jpg", "b/1.jpg"}),
               "1.jpg: several pictures have this name");
  expect_fault(find_pictures("test", {"c/1.jpg"}, {"a/1.jpg", "b/1.jpg", "b/2.jpg"}), "several");
  expect_fault(find_pictures("test", {"a/1.jpg", "a/1.jpg"}, {"a/1.jpg"}), "named more than once");
}

TEST(mot_text_gives_people_by_frame) {
  const Result<MotBoxes> boxes = parse_mot(
      "1,7,10,20,30.5,60,1,-1,-1,-1\r\n\n2,7,11,20,30,60,1\n2,8,1,2,3,4,0,1,1\n"
      "2,9,1,2,3,4,1,1,0.5\n2,10,1,2,3,4,1,11,1\n",
      "gt.txt");
  TEST_ASSERT_TRUE(static_cast<bool>(boxes));
  TEST_ASSERT_EQUAL_size_t(2, boxes->size());
  TEST_ASSERT_EQUAL_size_t(1, boxes->at(1).size());
  TEST_ASSERT_EQUAL_INT(7, boxes->at(1)[0].id);
  TEST_ASSERT_EQUAL_DOUBLE(30.5, boxes->at(1)[0].box.w);
  TEST_ASSERT_EQUAL_size_t(2, boxes->at(2).size());  // neither the ignored one nor the vehicle
  TEST_ASSERT_EQUAL_INT(9, boxes->at(2)[1].id);
  for (const char* wrong :
       {"1,2,3,4,5,6\n", "0,1,1,1,1,1,1\n", "1,1,1,1,0,1,1\n", "1,1,x,1,1,1,1\n"})
    TEST_ASSERT_FALSE(static_cast<bool>(parse_mot(wrong, "gt.txt")));
}

TEST(mot_truth_of_tracks_has_what_is_to_be_ignored) {
  const Result<MotBoxes> boxes = parse_mot_truth_tracks(
      "1,1,10,20,30,60,1,-1,-1,-1\n1,2,1,2,3,4,0,-1,-1,-1\n"
      "2,1,1,2,3,4,1,1,0.5\n2,2,1,2,3,4,1,7,1\n2,3,1,2,3,4,1,3,1\n2,4,1,2,3,4,0,1,1\n",
      "gt.txt");
  TEST_ASSERT_OK(boxes);
  TEST_ASSERT_EQUAL_size_t(2, boxes->at(1).size());
  TEST_ASSERT_FALSE(boxes->at(1)[0].ignore);
  TEST_ASSERT_TRUE(boxes->at(1)[1].ignore);
  TEST_ASSERT_EQUAL_size_t(3, boxes->at(2).size());  // not the car
  TEST_ASSERT_FALSE(boxes->at(2)[0].ignore);
  TEST_ASSERT_TRUE(boxes->at(2)[1].ignore);  // somebody who stands, of a class of his own
  TEST_ASSERT_TRUE(boxes->at(2)[2].ignore);
}

TEST(tracks_need_six_columns_and_no_conf_leaves_them_out) {
  const Result<MotBoxes> boxes =
      parse_mot_tracks("3,7,10,20,30,60\n3,8,1,2,3,4,0\n4,7,1,2,3,4,0.5,9,9\n", "t.txt");
  TEST_ASSERT_OK(boxes);
  TEST_ASSERT_EQUAL_size_t(2, boxes->at(3).size());
  TEST_ASSERT_EQUAL_size_t(1, boxes->at(4).size());
  TEST_ASSERT_EQUAL_DOUBLE(0.5, boxes->at(4)[0].conf);
  const Result<MotBoxes> found = parse_mot_detections("1,-1,1,2,3,4,9.5\n1,-1,1,2,3,4,-2\n", "d");
  TEST_ASSERT_OK(found);
  TEST_ASSERT_EQUAL_size_t(2, found->at(1).size());
  TEST_ASSERT_EQUAL_DOUBLE(-2, found->at(1)[1].conf);
}

TEST(mot_text_of_tracks_that_cannot_be_read_is_named) {
  const std::string good = "1,1,10,10,40,100\n";
  for (const Fault& f : {Fault{"1,2,10,10,40", "t.txt:2: must be frame,id,x,y,w,h"},
                         Fault{"1,1,50,10,40,100", "t.txt:2: id 1 occurs twice in frame 1"},
                         Fault{"1,2,10,ten,40,100", "t.txt:2: 'ten' is not a number"},
                         Fault{"1,2,10,inf,40,100", "t.txt:2: 'inf' is not a number"},
                         Fault{"1.5,2,10,10,40,100", "t.txt:2: frame and id must be whole"},
                         Fault{"1,2.5,10,10,40,100", "t.txt:2: frame and id must be whole"},
                         Fault{"0,2,10,10,40,100", "t.txt:2: frame numbers start at 1"},
                         Fault{"1,2,10,10,40,0", "t.txt:2: width and height"}})
    expect_fault(parse_mot_tracks(good + f.text + "\n", "t.txt"), f.part);
  expect_fault(parse_mot_detections(good, "d.txt"), "d.txt:1: must be frame,id,x,y,w,h,conf");
  expect_fault(parse_mot_truth_tracks("1,1,1,1,4,4,1\n1,1,1,1,4,4,0\n", "g.txt"),
               "g.txt:2: id 1 occurs twice in frame 1");
  expect_fault(read_mot_tracks("/no/such.txt"), "no such file");
}

}  // namespace
