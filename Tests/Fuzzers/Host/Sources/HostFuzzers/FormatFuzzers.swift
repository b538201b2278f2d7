// The readers of other formats: every pattern that is read can be written, and every rejection has
// a message.

import AndroidVibration
import HapticFormats
import HapticlabsHLA
import HapticsInterchange
import InterhapticsHaps
import LofeltHaptic
import MIDIFile

@_cdecl("fuzz_host_haptic")
public func fuzzHaptic(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(LofeltHapticFormat(), bytes, count)
}

@_cdecl("fuzz_host_android")
public func fuzzAndroid(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(AndroidXMLFormat(), bytes, count)
}

@_cdecl("fuzz_host_arrays")
public func fuzzArrays(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(AndroidArraysFormat(), bytes, count)
}

@_cdecl("fuzz_host_haps")
public func fuzzHaps(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(InterhapticsHapsFormat(), bytes, count)
}

@_cdecl("fuzz_host_hjif")
public func fuzzHJIF(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(HJIFFormat(), bytes, count)
}

@_cdecl("fuzz_host_hla")
public func fuzzHLA(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(HapticlabsHLAFormat(), bytes, count)
}

@_cdecl("fuzz_host_midi")
public func fuzzMIDI(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    read(MIDIFormat(), bytes, count)
}

/// Reads a file, and writes the result if the format supports it.
private func read(
    _ format: some PatternFormat, _ bytes: UnsafePointer<UInt8>?, _ count: Int
) -> CInt {
    let law = format.intensityLaw ?? .linear
    do throws(FormatError) {
        let pattern = try format.read(Input(bytes, count).bytes, law: law).pattern
        promise(
            pattern.events.allSatisfy { (0...1).contains($0.intensity) && $0.time >= 0 },
            "an event beyond its range")
        promise(
            pattern.curves.allSatisfy { curve in curve.points.allSatisfy { $0.value.isFinite } },
            "a point that is not a number")
        // Writing a signal of several hours takes long, and would test nothing that its first reading
        // has not tested.
        guard let writable = format as? any WritablePatternFormat, pattern.length < 10_000_000
        else { return 0 }
        let written = writable.write(pattern, law: law)
        promise((try? format.read(written, law: law)) != nil, "the written file is rejected")
    } catch {
        promise(!error.message.isEmpty && !error.advice.isEmpty, "nothing to say")
    }
    return 0
}
