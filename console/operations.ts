export interface paths {
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listActs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["followProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelBuilds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pauseProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["planRebuild"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rebuildProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resumeProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["retryQuarantined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rollBackProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["skipQuarantined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/projections/{name}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/entities/{kind}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getEntityStory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["findEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/measures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getMeasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/measures/{measure}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["answerMeasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/read-models/{readModel}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getReadModelRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/read-models/{readModel}/rows/{row}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["explainReadModelRow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/read-models/{readModel}/{partition}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getReadModelAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/read-models/{readModel}/{partition}/difference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getReadModelDifference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["makeReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["runStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
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
export interface operations {
    listActs: {
        parameters: {
            query?: {
                since?: string;
                actor?: string;
                operation?: string;
                page?: number;
                pageSize?: number;
            };
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListActsResponse"];
                };
            };
        };
    };
    listProjections: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectionList"];
                };
            };
        };
    };
    followProjections: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    cancelBuilds: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    pauseProjection: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    planRebuild: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildPlan"];
                };
            };
        };
    };
    rebuildProjection: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunBuild"];
                };
            };
        };
    };
    resumeProjection: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    retryQuarantined: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    rollBackProjection: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    skipQuarantined: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedProjection"];
                };
            };
        };
    };
    verifyProjection: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunBuild"];
                };
            };
        };
    };
    getEntityStory: {
        parameters: {
            query?: {
                at?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path: {
                kind: components["schemas"]["EntityKind"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityStory"];
                };
            };
        };
    };
    findEvents: {
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
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    getMeasures: {
        parameters: {
            query?: never;
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Measures"];
                };
            };
        };
    };
    answerMeasure: {
        parameters: {
            query?: {
                by?: string;
                cohort?: components["schemas"]["Cohort"];
                from?: string;
                to?: string;
                timeZone?: string;
                upTo?: string;
            };
            header?: {
                "If-Match"?: string;
            };
            path: {
                measure: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeasureAnswer"];
                };
            };
        };
    };
    getReadModelRows: {
        parameters: {
            query?: {
                at?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path: {
                readModel: components["schemas"]["ReadModelName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    explainReadModelRow: {
        parameters: {
            query?: {
                at?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path: {
                readModel: components["schemas"]["ReadModelName"];
                row: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RowExplanation"];
                };
            };
        };
    };
    getReadModelAt: {
        parameters: {
            query?: {
                at?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path: {
                readModel: components["schemas"]["ReadModelName"];
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadModelAt"];
                };
            };
        };
    };
    getReadModelDifference: {
        parameters: {
            query: {
                from: string;
                to?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path: {
                readModel: components["schemas"]["ReadModelName"];
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadModelDifference"];
                };
            };
        };
    };
    makeReport: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                upTo?: string;
                timeZone?: string;
                profession?: string;
                state?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    runStatement: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
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
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                };
            };
        };
    };
    getEventTypes: {
        parameters: {
            query?: {
                at?: string;
                upTo?: string;
            };
            header?: {
                "Personal-Data-Reason"?: string;
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTypes"];
                };
            };
        };
    };
}
