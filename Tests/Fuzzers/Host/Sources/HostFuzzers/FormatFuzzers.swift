// Fuzzes the readers of other formats and the detection of the format. Checks that each pattern
// that is read can be written, and that each error has a message.

import PatternFormats

@_cdecl("fuzz_host_haptic")
public func fuzzHaptic(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("haptic", bytes, count)
}

@_cdecl("fuzz_host_android")
public func fuzzAndroid(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("android", bytes, count)
}

@_cdecl("fuzz_host_arrays")
public func fuzzArrays(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("android-arrays", bytes, count)
}

@_cdecl("fuzz_host_haps")
public func fuzzHaps(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("haps", bytes, count)
}

@_cdecl("fuzz_host_hjif")
public func fuzzHJIF(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("hjif", bytes, count)
}

@_cdecl("fuzz_host_hla")
public func fuzzHLA(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("hla", bytes, count)
}

@_cdecl("fuzz_host_hac")
public func fuzzHAC(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("hac", bytes, count)
}

@_cdecl("fuzz_host_hasp")
public func fuzzHASP(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("hasp", bytes, count)
}

@_cdecl("fuzz_host_he")
public func fuzzHE(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("he", bytes, count)
}

@_cdecl("fuzz_host_harmonyos")
public func fuzzHarmonyOS(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("harmonyos", bytes, count)
}

@_cdecl("fuzz_host_midi")
public func fuzzMIDI(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read("midi", bytes, count)
}

/// Reads a file in the format with the given name, and writes its pattern if the format can be
/// written. Also reads the file in the detected format, including all clips of a project.
private func read(_ name: String, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let format = PatternFormats.named(name) else { fatalError("no format is named \(name)") }
    let input = Input(bytes, count).bytes
    explaining { () throws(FormatError) in try check(input, as: format) }
    explaining { () throws(FormatError) in _ = try PatternFormats.read(input) }
    explaining { () throws(FormatError) in
        for clip in try PatternFormats.clips(of: input) ?? [] { _ = try clip.read() }
    }
    return 0
}

/// Calls a reader. Each error that the closure throws must have a message and advice.
private func explaining(_ read: () throws(FormatError) -> Void) {
    do throws(FormatError) {
        try read()
    } catch {
        promise(
            !error.message.isEmpty && !error.advice.isEmpty, "an error has no message or no advice")
    }
}

private func check(_ input: [UInt8], as format: any PatternFormat) throws(FormatError) {
    let law = format.intensityLaw ?? .linear
    let pattern = try format.read(input, law: law).pattern
    promise(
        pattern.events.allSatisfy { (0...1).contains($0.intensity) && $0.time >= 0 },
        "an event is out of range")
    promise(
        pattern.curves.allSatisfy { curve in curve.points.allSatisfy { $0.value.isFinite } },
        "the value of a point is not finite")
    // A signal of several hours is not written, because writing it takes a long time and tests the
    // same code as writing a short signal.
    guard let writable = format as? any WritablePatternFormat, pattern.length < 10_000_000
    else { return }
    let written = try writable.write(pattern, law: law)
    promise((try? format.read(written, law: law)) != nil, "the written file is refused")
}
