export interface paths {
    "/admin/audit": {
        get: {
            parameters: {
                query?: {
                    since?: string;
                    actor?: string;
                    operation?: string;
                    page?: number;
                    pageSize?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ListActsResponse"];
                    };
                };
            };
        };
    };
    "/admin/projections": {
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ProjectionList"];
                    };
                };
            };
        };
    };
    "/admin/projections/events": {
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/cancel": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CancelBuildsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/pause": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PauseProjectionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/plan": {
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RebuildPlan"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/rebuild": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RebuildProjectionRequest"];
                };
            };
            responses: {
                202: {
                    content: {
                        "application/json": components["schemas"]["BegunBuild"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/resume": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/retry": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RetryQuarantinedRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/rollback": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RollBackProjectionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/skip": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SkipQuarantinedRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChangedProjection"];
                    };
                };
            };
        };
    };
    "/admin/projections/{name}/verify": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VerifyProjectionRequest"];
                };
            };
            responses: {
                202: {
                    content: {
                        "application/json": components["schemas"]["BegunBuild"];
                    };
                };
            };
        };
    };
    "/history/entities/{kind}/{id}": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    kind: components["schemas"]["EntityKind"];
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EntityStory"];
                    };
                };
            };
        };
    };
    "/history/events": {
        get: {
            parameters: {
                query?: {
                    type?: components["schemas"]["FindEventsTypeItem"][];
                    stream?: string;
                    entity?: string;
                    actor?: string;
                    correlationId?: string;
                    where?: string[];
                    from?: string;
                    to?: string;
                    upTo?: string;
                    after?: string;
                    newest?: boolean;
                    limit?: number;
                    follow?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/x-ndjson": string;
                    };
                };
            };
        };
    };
    "/history/measures": {
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["Measures"];
                    };
                };
            };
        };
    };
    "/history/measures/{measure}": {
        get: {
            parameters: {
                query?: {
                    by?: string;
                    cohort?: components["schemas"]["Cohort"];
                    from?: string;
                    to?: string;
                    timeZone?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    measure: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MeasureAnswer"];
                    };
                };
            };
        };
    };
    "/history/read-models/{readModel}": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    readModel: components["schemas"]["ReadModelName"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/x-ndjson": string;
                    };
                };
            };
        };
    };
    "/history/read-models/{readModel}/rows/{row}/explanation": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    readModel: components["schemas"]["ReadModelName"];
                    row: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RowExplanation"];
                    };
                };
            };
        };
    };
    "/history/read-models/{readModel}/{partition}": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    readModel: components["schemas"]["ReadModelName"];
                    partition: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReadModelAt"];
                    };
                };
            };
        };
    };
    "/history/read-models/{readModel}/{partition}/difference": {
        get: {
            parameters: {
                query: {
                    from: string;
                    to?: string;
                    upTo?: string;
                };
                header?: never;
                path: {
                    readModel: components["schemas"]["ReadModelName"];
                    partition: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReadModelDifference"];
                    };
                };
            };
        };
    };
    "/history/report": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    upTo?: string;
                    timeZone?: string;
                    profession?: string;
                    state?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/history/statements": {
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunStatementRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/x-ndjson": string;
                        "text/csv": string;
                        "application/vnd.apache.parquet": string;
                    };
                };
            };
        };
    };
    "/history/types": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    upTo?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EventTypes"];
                    };
                };
            };
        };
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        EventTypes: {
            code: string;
            /** Format: date-time */
            at: string | null;
            position: string;
            /** Format: date-time */
            recordedAt: string | null;
            types: components["schemas"]["EventType"][];
        };
        EventType: {
            type: string;
            version: number;
            events: number;
            first: components["schemas"]["EventPlace"];
            last: components["schemas"]["EventPlace"];
            reading: components["schemas"]["EventReading"];
            codeVersion: number | null;
        };
        /** @enum {string} */
        EventReading: "readable" | "upcast" | "newer" | "no-upcaster" | "unknown-type" | "foreign";
        EventPlace: {
            position: string;
            recordedAt: string | null;
        };
        RunStatementRequest: {
            statement: string;
            timeZone?: string;
            upTo?: string;
        };
        ReadModelDifference: {
            readModel: string;
            projection: string;
            code: string;
            partition: string;
            from: components["schemas"]["Moment"];
            to: components["schemas"]["Moment"];
            rows: components["schemas"]["RowDifference"][];
            withheld: string[];
            leftOut: components["schemas"]["LeftOutEvent"][];
        };
        LeftOutEvent: {
            stream: string;
            revision: number;
            position: string;
            type: string;
            reason: string;
        };
        RowDifference: components["schemas"]["AddedRow"] | components["schemas"]["GoneRow"] | components["schemas"]["ChangedRow"];
        ChangedRow: {
            /** @constant */
            kind: "changed";
            id: string;
            members: components["schemas"]["ChangedMember"][];
        };
        ChangedMember: {
            member: string;
            from: unknown;
            to: unknown;
            by: components["schemas"]["Cause"];
        };
        Cause: {
            position: string;
            type: string;
            stream: string;
            revision: number;
            id: string;
            /** Format: date-time */
            recordedAt: string;
            actor: string;
            requestId: string;
        };
        GoneRow: {
            /** @constant */
            kind: "gone";
            id: string;
            before: Record<string, never>;
            by: components["schemas"]["Cause"];
        };
        AddedRow: {
            /** @constant */
            kind: "added";
            id: string;
            after: Record<string, never>;
            by: components["schemas"]["Cause"];
        };
        Moment: {
            /** Format: date-time */
            at: string | null;
            position: string;
            /** Format: date-time */
            recordedAt: string | null;
        };
        /** @enum {string} */
        ReadModelName: "posting-candidates" | "admin-posting-candidates" | "professional-candidates" | "saved-postings" | "professional-profiles" | "specialties";
        ReadModelAt: {
            readModel: string;
            projection: string;
            code: string;
            partition: string;
            /** Format: date-time */
            at: string | null;
            position: string;
            /** Format: date-time */
            recordedAt: string | null;
            rows: Record<string, never>[];
            beside: Record<string, never>;
            withheld: string[];
            leftOut: components["schemas"]["LeftOutEvent"][];
        };
        RowExplanation: {
            readModel: string;
            projection: string;
            code: string;
            partition: string;
            id: string;
            /** Format: date-time */
            at: string | null;
            position: string;
            /** Format: date-time */
            recordedAt: string | null;
            members: components["schemas"]["ExplainedMember"][];
            withheld: string[];
            leftOut: components["schemas"]["LeftOutEvent"][];
        };
        ExplainedMember: {
            member: string;
            value: unknown;
            by: components["schemas"]["Cause"];
        };
        MeasureAnswer: {
            code: string;
            name: string;
            meaning: string;
            unit: components["schemas"]["MeasureUnit"];
            by: string | null;
            cohort: string | null;
            sql: string;
            position: string;
            rows: Record<string, never>[];
        };
        /** @enum {string} */
        MeasureUnit: "days" | "count" | "share";
        /** @enum {string} */
        Cohort: "day" | "week" | "month" | "quarter" | "year";
        Measures: {
            code: string;
            measures: components["schemas"]["Measure"][];
        };
        Measure: {
            name: string;
            meaning: string;
            unit: components["schemas"]["MeasureUnit"];
            groupings: string[];
            sql: string;
        };
        RecordedEvent: {
            position: string;
            stream: string;
            revision: number;
            id: string;
            type: string;
            version: number;
            recordedAt: string | null;
            actor: string | null;
            requestId: string | null;
            correlationId: string | null;
            data: Record<string, never> | null;
            withheld?: string[];
            unreadable?: string;
        };
        /** @enum {string} */
        FindEventsTypeItem: "UserNamedByProfessional" | "CodeIssued" | "CodeDelivered" | "CodeDeliveryFailed" | "CodeRefused" | "CodeAccepted" | "PhoneNumberChanged" | "JobNotificationSettingsChanged" | "CodeRequested" | "NoticeRequested" | "ProfessionalRecorded" | "OnboardingStatusChanged" | "OfficeRecorded" | "PostingRecorded" | "PostingClosed" | "CandidateApplied" | "InterviewScheduled" | "InterviewMoved" | "InterviewCancelled" | "InterviewHeld" | "CandidateHired" | "CandidateRejected" | "CandidateShortlistChanged" | "PostingSaved" | "PostingUnsaved" | "CommuteMeasured" | "SpecialtyRecorded" | "ProceduresReordered" | "ReviewPosted" | "WebhookSubscribed" | "WebhookSecretRotated" | "WebhookReplayRequested" | "WebhookPersonalDataSet" | "WebhookUnsubscribed" | "OperatorActed";
        EntityStory: {
            kind: string;
            id: string;
            code: string;
            /** Format: date-time */
            at: string | null;
            position: string;
            /** Format: date-time */
            recordedAt: string | null;
            events: components["schemas"]["EntityEvent"][];
        };
        EntityEvent: {
            position: string;
            stream: string;
            revision: number;
            id: string;
            type: string;
            version: number;
            recordedAt: string | null;
            actor: string | null;
            requestId: string | null;
            correlationId: string | null;
            withheld?: string[];
            unreadable?: string;
            changes: components["schemas"]["MemberChange"][];
        };
        MemberChange: {
            member: string;
            from?: unknown;
            to?: unknown;
        };
        /** @enum {string} */
        EntityKind: "professional" | "posting" | "office" | "candidate" | "specialty" | "user";
        BegunBuild: {
            projection: string;
            build: string;
        };
        VerifyProjectionRequest: {
            throttle?: number;
        };
        ChangedProjection: {
            projection: string;
            live: string;
            paused: components["schemas"]["Pause"] | null;
            waitingStreams: number;
        };
        Pause: {
            /** Format: date-time */
            since: string;
            by: string;
        };
        SkipQuarantinedRequest: {
            confirm: string;
            reason?: string;
            stream: string;
        };
        RollBackProjectionRequest: {
            confirm: string;
            reason?: string;
            to?: string;
        };
        RetryQuarantinedRequest: {
            stream?: string;
        };
        RebuildProjectionRequest: {
            confirm: string;
            reason?: string;
            throttle?: number;
            keepHours?: number;
            approve?: boolean;
            tolerant?: boolean;
        };
        RebuildPlan: {
            projection: string;
            version: number;
            live: string | null;
            events: number;
            perSecond: number | null;
            seconds: number | null;
        };
        PauseProjectionRequest: {
            confirm: string;
            reason?: string;
        };
        CancelBuildsRequest: {
            confirm: string;
            reason?: string;
        };
        ProjectionList: {
            data: components["schemas"]["Projection"][];
            service: components["schemas"]["Service"];
        };
        Service: {
            /** Format: date-time */
            startedAt: string;
            instance: string;
            status: components["schemas"]["ServiceStatus"];
            reason: string | null;
            threads: components["schemas"]["ServiceThread"][];
            stores: components["schemas"]["ServiceStores"];
            head: string | null;
            disk: components["schemas"]["ServiceDisk"] | null;
            lastBackup: components["schemas"]["LastBackup"] | null;
        };
        LastBackup: {
            /** Format: date-time */
            at: string;
            actor: string;
        };
        ServiceDisk: {
            freeBytes: number;
            totalBytes: number;
        };
        ServiceStores: {
            eventStore: components["schemas"]["EventStoreKind"];
            readModels: components["schemas"]["ReadModelsKind"];
        };
        /** @enum {string} */
        ReadModelsKind: "sqlite" | "mongodb";
        /** @enum {string} */
        EventStoreKind: "sqlite" | "eventstoredb";
        ServiceThread: {
            name: components["schemas"]["ThreadName"];
            isAnswering: boolean;
        };
        /** @enum {string} */
        ThreadName: "writer" | "projector" | "history";
        /** @enum {string} */
        ServiceStatus: "ready" | "degraded" | "not ready";
        Projection: {
            name: string;
            version: number;
            live: string | null;
            paused: components["schemas"]["Pause"] | null;
            perSecond: number | null;
            verified: components["schemas"]["VerifiedBuild"] | null;
            builds: components["schemas"]["Build"][];
        };
        Build: {
            id: string;
            version: number;
            state: components["schemas"]["BuildState"];
            step: components["schemas"]["BuildStep"];
            purpose: components["schemas"]["BuildPurpose"];
            position: string | null;
            lagEvents: number | null;
            /** Format: date-time */
            startedAt: string;
            throttle: number | null;
            keepHours: number;
            isApproved: boolean;
            isStrict: boolean;
            stoppedBy: string | null;
            progress: components["schemas"]["BuildProgress"] | null;
            verification: components["schemas"]["BuildComparison"] | null;
            lease: components["schemas"]["BuildLease"] | null;
            quarantined: components["schemas"]["ParkedStream"][];
            /** Format: date-time */
            keptUntil: string | null;
        };
        ParkedStream: {
            stream: string;
            revision: number;
            position: string;
            type: string;
            error: string;
            stack: string;
            /** Format: date-time */
            at: string;
            request: components["schemas"]["ParkedStreamRequest"];
        };
        /** @enum {string} */
        ParkedStreamRequest: "none" | "retry" | "skip";
        BuildLease: {
            holder: string;
            /** Format: date-time */
            since: string;
        };
        BuildComparison: {
            /** Format: date-time */
            at: string;
            position: string;
            total: number;
        };
        BuildProgress: {
            events: number;
            of: number;
            perSecond: number;
        };
        /** @enum {string} */
        BuildPurpose: "serve" | "check";
        /** @enum {string} */
        BuildStep: "build" | "verify" | "differs" | "stopped" | "ready" | "discarded";
        /** @enum {string} */
        BuildState: "live" | "kept" | "built" | "verified" | "differs" | "stopped";
        VerifiedBuild: {
            build: string;
            report: components["schemas"]["Verification"];
        };
        Verification: {
            /** Format: date-time */
            at: string;
            position: string;
            live: number;
            built: number;
            /** @deprecated */
            liveHash: string;
            /** @deprecated */
            builtHash: string;
            total: number;
            uncompared?: number;
            differences: components["schemas"]["DocumentDifference"][];
        };
        DocumentDifference: {
            collection: string;
            id: string;
            fields: components["schemas"]["MemberDifference"][];
            isIn: components["schemas"]["DifferenceSide"];
        };
        /** @enum {string} */
        DifferenceSide: "live" | "built" | "both";
        MemberDifference: {
            path: string;
            live: string;
            built: string;
        };
        ListActsResponse: {
            data: components["schemas"]["Act"][];
            page: number;
            pageSize: number;
            total: number;
        };
        Act: {
            id: string;
            /** Format: date-time */
            requestedAt: string;
            actor: string;
            operation: string;
            parameters: {
                [key: string]: string | number | boolean | string[];
            };
            phase: components["schemas"]["ActPhase"];
            /** Format: date-time */
            endedAt: string | null;
            detail: string | null;
            requestId: string;
        };
        /** @enum {string} */
        ActPhase: "requested" | "completed" | "failed";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
