// Small files of each format, written by hand.

import HapticPatterns
import PatternFormats

/// Reads a text in any format.
func readText(_ text: String, law: IntensityLaw? = nil) throws -> ReadPattern {
    try PatternFormats.read(Array(text.utf8), law: law)
}

/// Returns the description of the error if a text is rejected, or an empty string if the text is
/// read.
func refusal(of text: String) -> String { refusal(of: Array(text.utf8)) }

/// Returns the error for the bytes of a file, without the rule, or an empty string if the file is
/// read.
func refusal(of bytes: [UInt8]) -> String {
    do throws(FormatError) {
        _ = try PatternFormats.read(bytes)
        return ""
    } catch {
        return error.description.replacing(#/ \[[a-z-]+\]$/#, with: "")
    }
}

/// Returns the points of a pattern's intensity curve, each as a time in milliseconds and an
/// intensity.
func levels(_ read: ReadPattern) -> [[Double]] {
    values(HapticSignal(read.pattern).intensityPoints)
}

/// Returns points as times in milliseconds and values. The values are rounded to three decimals.
func values(_ points: [Breakpoint]) -> [[Double]] {
    points.map { [Double($0.time) / 1_000, ($0.value * 1_000).rounded() / 1_000] }
}

/// Returns the times of the taps in a pattern, in milliseconds.
func taps(_ read: ReadPattern) -> [Double] {
    HapticSignal(read.pattern).taps.map { Double($0.time) / 1_000 }
}

/// Returns the descriptions of the losses of a file, with their locations.
func losses(_ read: ReadPattern) -> [String] {
    read.losses.map { loss in
        (loss.location.map { "\($0): " } ?? "") + "\(loss.verdict.rawValue): \(loss.message)"
    }
}

/// Returns the text of a .haptic file with the given breakpoints.
func haptic(_ amplitude: String, frequency: String = "", version: String = "1") -> String {
    """
    {"version": {"major": \(version)}, "signals": {"continuous": {"envelopes": {
    "amplitude": [\(amplitude)],
    "frequency": [\(frequency)]}}}}
    """
}

/// Returns the text of a breakpoint in a .haptic file.
func breakpoint(_ time: String, _ amplitude: String, emphasis: String? = nil) -> String {
    let more = emphasis.map { ", \"emphasis\": {\"amplitude\": \($0), \"frequency\": 0.7}" } ?? ""
    return "{\"time\": \(time), \"amplitude\": \(amplitude)\(more)}"
}

/// One file in each format, with the numbers of taps and continuous events in its pattern.
let samples: [(name: String, text: String, taps: Int, continuous: Int)] = [
    (
        "haptic",
        haptic(breakpoint("0", "0.25") + "," + breakpoint("1", "0.81", emphasis: "1")), 1, 1
    ),
    (
        "android",
        """
        <vibration-effect><waveform-effect><waveform-entry durationMs="10" amplitude="64"/>
        <waveform-entry durationMs="20" amplitude="255"/></waveform-effect></vibration-effect>
        """, 0, 2
    ),
    (
        "android",
        """
        <vibration-effect><primitive-effect name="click" scale="0.5"/>
        <primitive-effect name="tick" delayMs="100"/></vibration-effect>
        """, 2, 0
    ),
    (
        "android",
        """
        <vibration-effect><basic-envelope-effect initialSharpness="0.3">
        <control-point intensity="0.8" sharpness="0.5" durationMs="100"/>
        <control-point intensity="0" sharpness="0.5" durationMs="100"/>
        </basic-envelope-effect></vibration-effect>
        """, 0, 1
    ),
    ("android-arrays", "{\"timings\": [10, 20], \"amplitudes\": [0, 255], \"repeat\": -1}", 0, 1),
    (
        "haps",
        """
        {"m_version": "5", "m_vibration": {"m_gain": 1, "m_melodies": [{"m_gain": 1, "m_notes": [
        {"m_startingPoint": 0.5, "m_length": 0.022, "m_gain": 0.49, "m_hapticEffect": {"m_type": 0}},
        {"m_startingPoint": 1, "m_length": 1, "m_gain": 1, "m_hapticEffect": {"m_type": 1,
        "m_amplitudeModulation": {"m_keyframes": [{"m_time": 0, "m_value": 0.25},
        {"m_time": 1, "m_value": 1}]}}}]}]}}
        """, 1, 1
    ),
    (
        "hjif",
        """
        {"timescale": 1000, "perceptions": [{"perception_modality": "Vibrotactile", "channels": [
        {"gain": 1, "bands": [{"band_type": "Transient", "effects": [{"position": 100, "keyframes": [
        {"relative_position": 0, "amplitude_modulation": 0.5, "frequency_modulation": 300}]}]},
        {"band_type": "VectorialWave", "effects": [{"position": 200, "keyframes": [
        {"relative_position": 0, "amplitude_modulation": 0.5, "frequency_modulation": 65},
        {"relative_position": 300, "amplitude_modulation": 1}]}]}]}]}]}
        """, 1, 1
    ),
    ("hla", "{\"Timings\": [5, 10], \"Amplitudes\": [255, 0], \"Repeat\": -1}", 0, 1),
    (
        "hla",
        """
        {"version": 2, "pwleSignal": {"primitives": [{"name": "lowTick", "scale": 1, "startOffset": 5}],
        "basicEnvelopes": [{"initialSharpness": 0, "startOffset": 100, "points": [
        {"time": 50, "intensity": 1, "sharpness": 1}, {"time": 90, "intensity": 0, "sharpness": 1}]}]}}
        """, 1, 1
    ),
    (
        "hasp",
        project([
            ("a", haptic(breakpoint("0", "0.25") + "," + breakpoint("1", "0.81", emphasis: "1")))
        ]), 1, 1
    ),
    (
        "he",
        """
        {"Metadata": {"Version": 1}, "Pattern": [
        {"Event": {"Type": "transient", "RelativeTime": 10, "Parameters": {"Intensity": 100,
        "Frequency": 50}}},
        {"Event": {"Type": "continuous", "RelativeTime": 50, "Duration": 100, "Parameters": {
        "Intensity": 100, "Frequency": 50}}}]}
        """, 1, 1
    ),
    (
        "he",
        """
        {"Metadata": {"Version": 2}, "PatternList": [{"AbsoluteTime": 100, "Pattern": [
        {"Event": {"Type": "transient", "RelativeTime": 0, "Index": 0, "Parameters": {
        "Intensity": 100, "Frequency": 50}}}]}, {"AbsoluteTime": 200, "Pattern": [
        {"Event": {"Type": "transient", "RelativeTime": 20, "Index": 1, "Parameters": {
        "Intensity": 100, "Frequency": 50}}}]}]}
        """, 2, 0
    ),
    (
        "harmonyos",
        """
        {"MetaData": {"Version": 1.0, "ChannelNumber": 1}, "Channels": [{"Parameters": {"Index": 0},
        "Pattern": [{"Event": {"Type": "continuous", "StartTime": 5, "Duration": 10, "Parameters": {
        "Intensity": 50, "Frequency": 50}}}]}]}
        """, 0, 1
    ),
]

/// Returns the text of a project of Meta Haptics Studio with the given clips.
func project(_ clips: [(name: String, haptic: String)]) -> String {
    let texts = clips.map {
        "{\"clipId\": \"1\", \"name\": \"\($0.name)\", \"haptic\": \($0.haptic)}"
    }
    return "{\"version\": {\"major\": 2}, \"clips\": [\(texts.joined(separator: ","))]}"
}
