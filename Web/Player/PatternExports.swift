// PatternExports: the functions that open, describe and compile patterns for the page.

import AHAP
import BridgeLink
import DRV2605
import EmbeddedFiles
import HapticCompiler
import HapticPatterns
import JSONText

/// The pattern that is open; nil if there is none.
nonisolated(unsafe) var opened: OpenedPattern?

/// Opens the bytes of an AHAP file. Provides its description, or an object with the error; the
/// pattern that was open before then remains open.
@_expose(wasm, "openPattern") @_cdecl("web_open_pattern")
public func openPattern(_ bytes: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
    do throws(AHAPError) {
        let pattern = try OpenedPattern(taken(bytes, count))
        opened = pattern
        return pattern.json.give()
    } catch {
        return JSONValue.members(("error", error.diagnostic.json)).give()
    }
}

/// Provides the names of the patterns that are part of the library, as a list.
@_expose(wasm, "patternNames") @_cdecl("web_pattern_names")
public func patternNames() -> Int32 {
    JSONValue.texts(EmbeddedFile.names.filter { $0.hasSuffix(".ahap") }).give()
}

/// Provides the bytes of a pattern file that is part of the library.
@_expose(wasm, "namedPattern") @_cdecl("web_named_pattern")
public func namedPattern(_ name: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
    let name = String(decoding: taken(name, count), as: UTF8.self)
    return (EmbeddedFile.names.contains(name) ? EmbeddedFile.bytes(name) : []).give()
}

/// Returns the profile with an index: a built-in profile, or -1 for the profile of the board.
/// Without a configured board, the profile of the board is the profile of the coin LRA.
private func profile(_ index: Int32) -> DeviceProfile {
    guard DeviceProfile.all.indices.contains(Int(index)) else { return board?.profile ?? .lra }
    return DeviceProfile.all[Int(index)]
}

/// Provides the compiled file of the open pattern for a profile.
@_expose(wasm, "compiledFile") @_cdecl("web_compiled_file")
public func compiledFile(_ index: Int32) -> Int32 {
    (opened?.stream(for: profile(index)).file.encoded ?? []).give()
}

/// Provides the description of the stream that is compiled from the open pattern for a profile, and
/// the losses.
@_expose(wasm, "losses") @_cdecl("web_losses")
public func losses(_ index: Int32) -> Int32 {
    opened?.stream(for: profile(index)).json.give() ?? 0
}

/// Provides the predicted acceleration of the open pattern on the actuator of the board in equal
/// intervals. Without a configured board, the actuator is the coin LRA.
@_expose(wasm, "prediction") @_cdecl("web_prediction")
public func prediction(_ count: Int32) -> Int32 {
    let configuration = board?.configuration ?? .coinLRA
    return (opened?.prediction(Int(count), on: configuration, profile(-1)) ?? []).give()
}

/// Provides the levels of the open pattern for a profile in equal intervals, followed by its
/// sharpnesses.
@_expose(wasm, "samples") @_cdecl("web_samples")
public func samples(_ index: Int32, _ count: Int32) -> Int32 {
    guard let opened else { return 0 }
    let profile = profile(index)
    let duration = opened.shownDuration
    return opened.stream(for: profile).samples(Int(count), over: duration, on: profile).give()
}
