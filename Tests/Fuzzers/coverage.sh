#!/bin/sh
# Prints the coverage of the code that a fuzzer tests, measured with the fuzzer's corpus: coverage.sh FOLDER FUZZER
set -eu
folder=$1 fuzzer=$2
tools=$(dirname "${CLANG:-clang}")
case $fuzzer in
frame) files=core/link/frame.c ;;
player) files='core/player/[a-z0-9_]*\.c' ;;
bridge | several) files='core/[a-z0-9_/]*\.c' ;;
host_frame) files='BridgeLink/[A-Za-z]*/(COBS|Frame|FrameDecoder|Message|.*Messages)\.swift' ;;
host_report) files='AcceptanceReports/[A-Za-z]*\.swift' ;;
host_session) files='BridgeLink/Session/(LinkSession.*|SendWindow|PendingResults|StreamCredits)\.swift' ;;
host_json) files='JSONText/JSON[A-Za-z]*\.swift' ;;
host_ahap) files='AHAP/(AHAP.*|DocumentDecoder.*|PatternBuilder.*)\.swift' ;;
host_profile) files='HapticCompiler/Profiles/DeviceProfileReader\.swift' ;;
host_haptic) files='LofeltHaptic/Lofelt[A-Za-z]*\.swift' ;;
host_android) files='(AndroidVibration/Android(XML.*|Primitives)|XMLText/.*)\.swift' ;;
host_arrays) files='AndroidVibration/AndroidWaveform\.swift' ;;
host_haps) files='InterhapticsHaps/[A-Za-z]*\.swift' ;;
host_hjif) files='HapticsInterchange/[A-Za-z]*\.swift' ;;
host_hla) files='HapticlabsHLA/HapticlabsHLAFormat\.swift' ;;
host_hac) files='(HapticlabsHLA|ZIPFile)/[A-Za-z]*\.swift' ;;
host_hasp) files='LofeltHaptic/HapticsStudioProjectFormat\.swift' ;;
host_he | host_harmonyos) files='VibratorEvents/[A-Za-z]*\.swift' ;;
host_midi) files='MIDIFile/[A-Za-z]*\.swift' ;;
host_osc) files='OpenSoundControl/OSC(Reader|Packet|AddressPattern|Score|Timing)\.swift' ;;
host_osc_rules) files='OpenSoundControl/(Rules/OSCRule(Reader)?|OSCAddressPattern)\.swift' ;;
host_studio) files='EditorLinks/(EngineIOPacket|SocketIO[A-Za-z]*|Studio[A-Za-z]*)\.swift' ;;
host_haptrix) files='(EditorLinks/Haptrix|ZIPFile/)[A-Za-z]*\.swift' ;;
host_zip) files='ZIPFile/[A-Za-z]*\.swift' ;;
host_sound) files='SoundImport/[A-Za-z]*\.swift' ;;
host_ogg) files='OggComments\.swift' ;;
host_compiled) files='HapticCompiler/EventCode/(CompiledFile|EventStreamDecoder)\.swift' ;;
esac
LLVM_PROFILE_FILE=$folder/$fuzzer.profraw "$folder/$fuzzer" -runs=0 \
    "$folder/corpus/$fuzzer" "Tests/Fuzzers/Corpora/$fuzzer" >/dev/null 2>&1
"$tools/llvm-profdata" merge -sparse "$folder/$fuzzer.profraw" -o "$folder/$fuzzer.profdata"
"$tools/llvm-cov" export -summary-only -format=lcov "$folder/$fuzzer" \
    -instr-profile "$folder/$fuzzer.profdata" 2>/dev/null | awk -F: -v files="($files)\$" -v fuzzer="$fuzzer" '
    $1 == "SF" { wanted = $2 ~ files }
    wanted && $1 == "LF" { lines += $2 }
    wanted && $1 == "LH" { hit += $2 }
    END { printf "figure fuzz_coverage_%s %.1f %% of %d lines\n", fuzzer, 100 * hit / lines, lines }'
