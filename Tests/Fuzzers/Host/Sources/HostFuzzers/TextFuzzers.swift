// Fuzzes the readers of texts that people write: JSON, AHAP and device profiles.

import AHAP
import HapticCompiler
import JSONText

@_cdecl("fuzz_host_json")
public func fuzzJSON(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Input(bytes, count).bytes
    let strict = try? JSONReader.read(text, mode: .strict)
    guard let result = try? JSONReader.read(text) else {
        promise(strict == nil, "strict mode accepts a text that lenient mode rejects")
        return 0
    }
    promise(strict == nil || strict?.value == result.value, "the modes return different values")
    let written = Array(JSONWriter.text(of: result.value).utf8)
    let again = try? JSONReader.read(written, mode: .strict)
    promise(again?.value == result.value, "the written value differs from the value that was read")
    return 0
}

@_cdecl("fuzz_host_ahap")
public func fuzzAHAP(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Input(bytes, count).bytes
    _ = AHAPLinter.lint(text, options: .init(strict: true)).map { "\($0)" }
    do throws(AHAPError) {
        try check(try AHAPReader.read(text))
    } catch {
        promise((error.location?.line ?? 1) >= 1 && (error.location?.column ?? 1) >= 1, "\(error)")
        promise(!error.message.isEmpty && !error.advice.isEmpty, "an error has no explanation")
    }
    return 0
}

/// Checks that a document is unchanged after it is written and read again, and that the first
/// seconds of its pattern compile.
private func check(_ result: AHAPReader.Result) throws(AHAPError) {
    let written = Array(AHAPWriter.text(of: result.document).utf8)
    promise(try AHAPReader.read(written).document == result.document, "the document changed")
    for profile in [DeviceProfile.reference, .lra] {
        let voice = PatternVoice(result.pattern)
        var compiler = HapticCompiler(profile: profile, voices: [voice])
        var code: [UInt8] = []
        for _ in 0..<4 { code += compiler.nextSegment(duration: 500_000).bytes }
        let events = try? EventStreamDecoder.decode(code, requiringEnd: false)
        promise(events != nil, "the compiler's code is refused")
    }
}

@_cdecl("fuzz_host_profile")
public func fuzzProfile(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(DeviceProfileError) {
        let profile = try DeviceProfile(json: Input(bytes, count).bytes)
        promise(profile.tapSharp <= profile.tapDull, "\(profile)")
        let isPlanned = profile.kind == .lra || profile.kind == .erm
        promise((profile.plant != nil) == isPlanned, "\(profile)")
        promise((profile.band != nil) == (profile.kind == .wideBand), "\(profile)")
        if let plant = profile.plant { promise(plant.timeConstant > 0, "\(profile)") }
    } catch {
        promise(!"\(error)".isEmpty, "the error has no message")
    }
    return 0
}
