// Fuzzes Open Sound Control messages, and the rules that interpret them.

import ProgramProtocols

@_cdecl("fuzz_host_osc")
public func fuzzOSC(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let datagram = Input(bytes, count).bytes
    do throws(OSCError) {
        var score = OSCInterpreter(rules: rules, localities: ["leftHandle", "rightHandle"])
        for (index, part) in try OSCReader.read(datagram).messages.enumerated() {
            let outcome = score.outcome(of: part.message, at: Double(index))
            guard case .effects(let effects) = outcome else { continue }
            for effect in effects { promise(isPossible(effect.kind), "\(effect)") }
        }
    } catch {
        promise((0...count).contains(error.offset), "\(error)")
    }
    return 0
}

private let rules =
    (try? OSCRule.read(OSCMap.vrchat.file) + OSCRule.read(OSCMap.reahaptic.file)) ?? []

/// Returns true if all values of an effect are in their ranges.
private func isPossible(_ kind: OSCEffect.Kind) -> Bool {
    switch kind {
    case .tap(let intensity, let sharpness), .level(_, let intensity, let sharpness, _):
        (0...1).contains(intensity) && (0...1).contains(sharpness)
    case .sharpness(let value), .gain(let value): (0...1).contains(value)
    case .envelopes(_, let delay): (0...OSCTiming.leadMax).contains(delay)
    case .play, .stop: true
    }
}

@_cdecl("fuzz_host_osc_rules")
public func fuzzOSCRules(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(OSCRuleError) {
        for rule in try OSCRule.read(Input(bytes, count).bytes) {
            promise(rule.low != rule.high, "\(rule)")
            _ = rule.address.matches("/avatar/parameters/a")
        }
    } catch {
        promise(!error.message.isEmpty, "the error has no message")
    }
    return 0
}
