// Tests of the list of named actuators, and of the validation of the list's data.

import DRV2605
import Testing

@testable import HapticBoards
@testable import HapticBridge

@Suite struct NamedActuatorTests {
    @Test func everyFigureHasASource() {
        #expect(NamedActuator.all.count == 6)
        for part in NamedActuator.all {
            let expected = NamedActuator.Figure.allCases.filter {
                switch $0 {
                case .resonance: part.kind == .lra
                case .start, .running: part.kind == .erm
                default: true
                }
            }
            #expect(Set(part.sources.keys) == Set(expected), "\(part.name)")
        }
    }

    /// Checks that every time constant is marked as an estimate, and also every other value that is
    /// not in a data sheet.
    @Test func estimatesAreMarked() throws {
        #expect(NamedActuator.all.allSatisfy { $0.isEstimate(.timeConstant) })
        #expect(NamedActuator.all.allSatisfy { !$0.isEstimate(.rated) })
        let motor = try #require(NamedActuator.named("b1034.fl45-00-015"))
        #expect(!motor.isEstimate(.start) && motor.isEstimate(.running))
        #expect(motor.sources[.start] == "data sheet B1034.FL45-00-015")
        #expect(!motor.isEstimate(.resonance), "an ERM has no resonance")
    }

    /// Checks that every estimate equals the value that `ActuatorPlant` calculates.
    @Test func timeConstantsOfLRAsAreThoseOfQuality10() {
        for part in NamedActuator.all where part.kind == .lra {
            let estimate = ActuatorPlant.lra(resonance: part.resonance).timeConstant
            #expect(abs(part.timeConstant - estimate) < 0.1, "\(part.name)")
        }
    }

    private static let sources = """
        "sources": {"resonance": "a", "rated": "a", "overdrive": "a", "timeConstant": "a",
            "acceleration": "estimate: b"}
        """
    private static let figures = """
        "resonance": 170, "rated": 2.5, "overdrive": 3.5, "timeConstant": 18, "acceleration": 1.5,
        """

    private static func entry(
        kind: String = "lra", _ figures: String = figures, _ sources: String = sources
    ) -> String {
        #"[{"name": "x", "description": "y", "kind": "\#(kind)", \#(figures) \#(sources)}]"#
    }

    @Test func aWholeEntryIsRead() throws {
        let part = try #require(NamedActuator.read(Array(Self.entry().utf8)).first)
        #expect((part.timeConstant, part.acceleration) == (18, 1.5))
        #expect((part.startVoltage, part.runningVoltage) == (0, 0))
        #expect(part.isEstimate(.acceleration) && !part.isEstimate(.timeConstant))
    }

    @Test(arguments: [
        ("{}", "the data is not an array"),
        ("[7]", "an actuator must be an object"),
        ("[{}]", "name is not a string"),
        (entry(kind: "piezo"), "the kind piezo is unknown"),
        (entry(kind: "erm"), "ERM has no resonance"),
        (
            entry(figures.replacing(#""timeConstant": 18,"#, with: "")),
            "timeConstant is not a number above 0"
        ),
        (entry(figures.replacing("1.5", with: "0")), "acceleration is not a number above 0"),
        (entry(figures + #""start": 2,"#), "LRA has no start"),
        (entry(figures, #""sources": "all over""#), "sources is not an object"),
        (entry(figures, #""sources": {}"#), "acceleration has no source"),
        (
            entry(figures, sources.replacing(#""rated": "a", "#, with: "")),
            "rated has no source"
        ),
        (
            entry(figures, sources.replacing(#""rated": "a""#, with: #""rated": """#)),
            "the source of rated is not a string"
        ),
        (
            entry(figures, sources.replacing(#""rated""#, with: #""running""#)),
            "the source running does not belong to any figure"
        ),
    ])
    func aDefectIsNamedWithItsPlace(text: String, message: String) {
        let error = #expect(throws: NamedActuator.DataError.self) {
            try NamedActuator.read(Array(text.utf8))
        }
        #expect(error?.message == message)
        #expect(error?.location != nil)
    }
}
