// StudioComparison: a blind comparison of two versions of the document.

import HapticBridge
import HapticPatterns
import LocalServers

/// The two stored versions of the document, and the blind test that compares them.
struct StudioComparison {
    /// The bytes and the parsed pattern of each version.
    var versions: [StudioVersion: (bytes: [UInt8], pattern: HapticPattern)] = [:]
    /// The current blind test; nil if no test is running.
    var test: BlindTest?
}

extension StudioService {
    func performComparison(_ request: StudioRequest) throws {
        switch request {
        case .snapshot(let version):
            let pattern = try pattern()
            comparison.versions[version] = (open?.document.bytes ?? [], pattern)
        case .swap(let version):
            var file = try opened()
            file.document.replace(with: try stored(version).bytes)
            file.author = nil
            open = file
            show(.edit)
            try playWhole(try pattern())
        case .abxStart:
            for version in StudioVersion.allCases { _ = try stored(version) }
            comparison.test = BlindTest()
            sendTest()
        case .abxPlay(let version):
            let test = try runningTest()
            try playWhole(try stored(version ?? test.hidden).pattern, isBlind: true)
        case .abxAnswer(let version):
            var test = try runningTest()
            test.answer(version)
            comparison.test = test
            sendTest()
        case .abxEnd:
            sendTest(isRunning: false)
            comparison.test = nil
        default: break
        }
    }

    private func stored(
        _ version: StudioVersion
    ) throws(StudioError) -> (bytes: [UInt8], pattern: HapticPattern) {
        guard let stored = comparison.versions[version] else {
            throw StudioError(
                "no version \(version.rawValue) is stored",
                advice: "store both versions before you compare them")
        }
        return stored
    }

    private func runningTest() throws(StudioError) -> BlindTest {
        guard let test = comparison.test else {
            throw StudioError("no blind test is running", advice: "start a blind test")
        }
        return test
    }

    private func playWhole(_ pattern: HapticPattern, isBlind: Bool = false) throws {
        try withBoard {
            try player.play(StudioPlayback(from: 0), of: pattern, isBlind: isBlind)
        }
    }

    private func sendTest(isRunning: Bool = true) {
        guard let test = comparison.test else { return }
        let score = StudioMessages.Score(
            trials: test.trials, correct: test.correct, p: test.chance, isRunning: isRunning,
            last: test.wasRight.map { $0 ? .right : .wrong })
        send(StudioMessages.Comparison(state: score))
    }
}
