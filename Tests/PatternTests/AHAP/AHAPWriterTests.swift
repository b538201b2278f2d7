// Tests that the AHAP writer preserves everything that the reader recognizes, and writes the same
// text on every platform.

import AHAP
import JSONText
import Testing

struct AHAPWriterTests {
    private let document = AHAPDocument(
        metadata: JSONValue(.object(.init([.init("Project", JSONValue(.string("Demo \"1\"")))]))),
        pattern: [
            .event(
                .init(
                    .hapticTransient, time: 0.5, eventParameters: [.init(.hapticIntensity, 0.00001)]
                )),
            .parameter(.init(.hapticSharpnessControl, time: 1, -0.25)),
            .parameterCurve(
                .init(.hapticIntensityControl, time: 0, controlPoints: [.init(time: 0, 1)])),
        ])

    @Test func writesApplesKeysInAFixedOrder() {
        #expect(
            AHAPWriter.text(of: document, layout: .compact)
                == #"{"Version":1.0,"Metadata":{"Project":"Demo \"1\""},"Pattern":["#
                + #"{"Event":{"Time":0.5,"EventType":"HapticTransient","EventParameters":["#
                + #"{"ParameterID":"HapticIntensity","ParameterValue":1e-05}]}},"#
                + #"{"Parameter":{"ParameterID":"HapticSharpnessControl","Time":1.0,"#
                + #""ParameterValue":-0.25}},"#
                + #"{"ParameterCurve":{"ParameterID":"HapticIntensityControl","Time":0.0,"#
                + #""ParameterCurveControlPoints":[{"Time":0.0,"ParameterValue":1.0}]}}]}"#)
    }

    @Test func indentsForPeople() {
        let text = AHAPWriter.text(of: AHAPDocument(pattern: [.event(.init(.hapticTransient))]))
        #expect(
            text == """
                {
                  "Version": 1.0,
                  "Pattern": [
                    {
                      "Event": { "EventType": "HapticTransient" }
                    }
                  ]
                }

                """)
    }

    @Test(arguments: [JSONWriter.Layout.compact, .indented])
    func aDocumentSurvivesWritingAndReading(_ layout: JSONWriter.Layout) throws {
        let text = AHAPWriter.text(of: document, layout: layout)
        #expect(try read(text, strict: true).document == document)
    }

    @Test func metadataSurvivesToTheDigit() throws {
        let metadata = #"{"Tempo":120.50,"Big":1e400,"Deep":[{"Pattern":"text"},null,[]],"":{}}"#
        let document = try read("{\"Metadata\": \(metadata), \"Pattern\": [\(tap)]}").document
        let text = AHAPWriter.text(of: document, layout: .compact)
        #expect(text.hasPrefix("{\"Metadata\":\(metadata),"))
    }

    @Test func whatIsNoNumberBecomesNullAndIsRefusedByAnyReader() {
        let broken = AHAPDocument(pattern: [.event(.init(.hapticTransient, time: .init(.nan)))])
        let text = AHAPWriter.text(of: broken, layout: .compact)
        #expect(text.contains("\"Time\":null"))
        #expect(refusal(text)?.rule == .wrongType)
    }
}
