import { render, type ComponentChildren, type FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useState } from 'preact/hooks';
import { onSessionEnd, readSession, sessionHasBegun, signOut, type Session } from './api.ts';
import { errorMessageOf } from '../src/lib/error.ts';
import { addressOf, navigate, useAddress, type ViewAddress } from './address.ts';
import { SessionContext } from './session.tsx';
import { LoadedContent, useLoaded } from './loaded.tsx';
import { SignIn } from './sign-in.tsx';
import { Dialog } from './dialog.tsx';
import { Audit } from './views/audit.tsx';
import { Entity } from './views/entity.tsx';
import { Events } from './views/events.tsx';
import { Now } from './views/now.tsx';
import { Parked } from './views/parked.tsx';
import { Projection } from './views/projection.tsx';
import { Projections } from './views/projections.tsx';
import { Questions } from './views/questions.tsx';
import { ReadModel } from './views/read-model.tsx';
import { Report } from './views/report.tsx';

const ProjectionsOrOne = ({ address }: { readonly address: ViewAddress }) => {
  const [, name = ''] = address.segments;
  return name === '' ? <Projections /> : <Projection key={name} name={name} />;
};

const History = ({ address }: { readonly address: ViewAddress }) => {
  const [, what = '', name = '', id = ''] = address.segments;
  const key = `${name} ${id}`;
  if (what === 'entities' && id !== '') return <Entity key={key} kind={name} id={id} address={address} />;
  if (what === 'read-models') return <ReadModel key={key} readModel={name} partition={id} address={address} />;
  return <Events address={address} />;
};

interface View {
  readonly segment: string;
  readonly title: string;
  readonly isForAnalysts: boolean;
  readonly View: FunctionComponent<{ readonly address: ViewAddress }>;
}
const views: readonly View[] = [
  { segment: '', title: 'Now', isForAnalysts: false, View: Now },
  { segment: 'projections', title: 'Projections', isForAnalysts: false, View: ProjectionsOrOne },
  { segment: 'parked', title: 'Parked', isForAnalysts: false, View: Parked },
  { segment: 'history', title: 'History', isForAnalysts: true, View: History },
  { segment: 'questions', title: 'Questions', isForAnalysts: true, View: Questions },
  { segment: 'report', title: 'Report', isForAnalysts: true, View: Report },
  { segment: 'audit', title: 'Audit', isForAnalysts: false, View: Audit },
];

/** A view; one that fails to draw leaves the others open. */
const Guarded = ({ children }: { readonly children: ComponentChildren }) => {
  const boundary = useErrorBoundary();
  const error: unknown = boundary[0];
  if (error === undefined) return <>{children}</>;
  return (
    <p class="failure" role="alert">
      This view cannot be drawn: {error instanceof Error ? error.message : 'it has failed'}.{' '}
      <button type="button" onClick={boundary[1]}>
        Draw it again
      </button>
    </p>
  );
};

const Frame = ({
  session,
  onSignOut,
  unended,
}: {
  readonly session: Session;
  readonly onSignOut: () => void;
  /** Why signing out has failed. */
  readonly unended: string | undefined;
}) => {
  const address = useAddress();
  const { user, mode } = session;
  const open = views.filter(({ isForAnalysts }) => isForAnalysts || user?.isAdmin);
  const [current = ''] = address.segments;
  const known = views.find(({ segment }) => segment === current);
  const isOpen = known !== undefined && open.includes(known);
  // Before anybody can choose another view.
  useLayoutEffect(() => {
    // In the place of the address, to which going back would lead here again.
    if (!isOpen && current === '') navigate(addressOf([open[0]?.segment ?? 'history']), 'replace');
    document.title = `${known?.title ?? 'Console'} · Hiring`;
  }, [current, isOpen]);
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="frame">
        <strong>Hiring</strong>
        <nav aria-label="Views">
          {open.map(({ segment, title }) => (
            <a
              key={segment}
              href={addressOf(segment === '' ? [] : [segment])}
              aria-current={segment === current ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <span class="who">
          {user?.id}
          {mode === 'read-only' && ', read-only'}{' '}
          <button type="button" class="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>
        {unended !== undefined && (
          <p class="failure" role="alert">
            You are still signed in, since signing out has failed: {unended}.
          </p>
        )}
        {isOpen ? (
          <Guarded key={address.segments.join('/')}>
            <known.View address={address} />
          </Guarded>
        ) : (
          current !== '' && (
            <>
              <h1>{known ? 'Not for you' : 'No such view'}</h1>
              <p>
                {known ? 'This view is for administrators.' : 'The address names no view.'}{' '}
                <a href={addressOf([])}>Begin anew</a>
              </p>
            </>
          )
        )}
      </main>
    </>
  );
};

const Console = () => {
  const loaded = useLoaded('session', readSession);
  const [changed, setChanged] = useState<Session>();
  const [hasEnded, setEnded] = useState(false);
  const [unended, setUnended] = useState<string>();
  useEffect(() => onSessionEnd(() => setEnded(true)), []);
  return (
    <LoadedContent of={loaded}>
      {(first) => {
        const session = changed ?? first;
        const signedIn = (next: Session) => {
          setChanged(next);
          setEnded(false);
          sessionHasBegun();
        };
        const leave = () =>
          signOut().then(
            () => {
              setUnended(undefined);
              setChanged({ ...session, user: null });
            },
            (error: unknown) => setUnended(errorMessageOf(error)),
          );
        if (!session.user)
          return (
            <main class="sign-in">
              <h1>Hiring</h1>
              <SignIn session={session} onSignedIn={signedIn} />
            </main>
          );
        return (
          <SessionContext.Provider value={session}>
            <Frame session={session} onSignOut={() => void leave()} unended={unended} />
            {hasEnded && (
              <Dialog title="The session has ended">
                <p>What is on the page stays as it is.</p>
                <SignIn session={session} onSignedIn={signedIn} isApart />
              </Dialog>
            )}
          </SessionContext.Provider>
        );
      }}
    </LoadedContent>
  );
};

const root = document.getElementById('console');
if (root) render(<Console />, root);
