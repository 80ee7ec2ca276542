#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the emulated board: brings up its devices, runs the player, powers off.
# Every line for the host begins with PASS, FAIL, SAW or BOARD.
busybox=/bin/busybox
$busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t devpts pts /dev/pts
mount -t debugfs debug /sys/kernel/debug
mount -t tmpfs tmp /tmp
mount -t tmpfs tmp /run

uptime_now() { cut -d' ' -f1 /proc/uptime; }
echo "BOARD boot: kernel $(uname -r), init after $(uptime_now) s"

# Two cameras. The first has one HDMI input and one HDMI output without cropping or scaling, so that the
# loop between them carries pictures as they are. The second is a webcam with a picture of its own, which
# takes sizes and rates as cameras do. soft_margin is only the default: who opens the watchdog sets its own.
vivid="n_devs=2 node_types=0x101,0x1 num_inputs=1,1 input_types=0x3,0x0 num_outputs=1,1 output_types=0x1,0x1"
vivid="$vivid ccs_cap_mode=0,0 ccs_out_mode=0,0"
while read -r module; do
  options=
  case $module in
    vivid.ko) options=$vivid ;;
    softdog.ko) options="soft_margin=8" ;;
    snd-aloop.ko) options="index=0 id=Loopback pcm_substreams=1" ;;
  esac
  # shellcheck disable=SC2086 # options are several words
  insmod "/lib/modules/$module" $options || echo "FAIL board: module $module does not load"
done < /lib/modules/order

ip link add vcan0 type vcan && ip link set vcan0 up || echo "FAIL board: no vcan0"

# The machine has no temperature sensor: a folder of regular files stands where the zones would be.
mount -t tmpfs zones /sys/class/thermal
mkdir /sys/class/thermal/thermal_zone0
echo board > /sys/class/thermal/thermal_zone0/type
echo 45000 > /sys/class/thermal/thermal_zone0/temp

echo "BOARD devices after $(uptime_now) s"
kerb_board_player
code=$?
[ $code -le 1 ] || echo "FAIL board: the player ended with code $code"
echo "BOARD end after $(uptime_now) s"
poweroff -f
